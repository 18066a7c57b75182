"""The Python API: typed results, events while a run goes, cancellation."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ml_agent
from ml_agent.background import CancelledRunError, EventStream, Run
from tests.processor_time import WAIT

SCRIPT = (
    'import argparse\np = argparse.ArgumentParser()\np.add_argument("--lr", type=float, default=0.1)\np.parse_args()\n'
)
TASK = "fit the model with learning rate 0.25"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with one script and a README."""
    root = tmp_path / "repository"
    root.mkdir()
    (root / "fit.py").write_text(SCRIPT)
    (root / "README.md").write_text("# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n")
    return root


def test_every_public_name_is_there_and_nothing_is_imported_for_it() -> None:
    for name in ml_agent.__all__:
        assert getattr(ml_agent, name) is not None
    code = "import sys, ml_agent; print([m for m in sys.modules if m.startswith(('ml_agent.', 'tools', 'langgraph'))])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
    with pytest.raises(AttributeError):
        ml_agent.nothing  # noqa: B018


def test_solve_returns_a_typed_result_and_reports_events(repository: Path) -> None:
    events: list[ml_agent.Event] = []
    result = ml_agent.solve(TASK, repo=str(repository), run="none", on_event=events.append)
    assert result.ok and result.evidence == "checked"
    assert result.answer is not None and "--lr 0.25" in result.answer.text and result.answer.kind == "bash"
    assert (result.folder / "answer.sh").exists()
    phases = [event.phase for event in events if event.kind == "done"]
    assert phases[0] == "understand" and "check" in phases
    assert "--lr 0.25" in result._repr_html_()


def test_half_a_character_is_refused(repository: Path) -> None:
    with pytest.raises(ml_agent.UsageError, match="not valid UTF-8"):
        ml_agent.solve(f"{TASK} \ud83d", repo=repository, run="none")
    with pytest.raises(ml_agent.UsageError, match="not valid UTF-8"):
        ml_agent.solve(TASK, repo=repository, run="none", arguments={"name": "\ud83d"})
    with pytest.raises(ml_agent.UsageError, match="not valid UTF-8"):
        ml_agent.check("python fit.py --lr \ud83d", repository)
    with pytest.raises(ml_agent.UsageError, match="not valid UTF-8"):
        ml_agent.find(f"{TASK} \ud83d", catalog="sample")


def test_a_display_escapes_what_it_shows(repository: Path) -> None:
    result = ml_agent.solve(f"<script>alert(1)</script> {TASK}", repo=str(repository), run="none")
    assert "<script>" not in result._repr_html_()
    checked = ml_agent.check("python fit.py --l<script>r 1; python '<script>.py'", str(repository))
    assert not checked.ok and "<script>" not in checked._repr_html_() and "&lt;script&gt;" in checked._repr_html_()
    assert "ok" in ml_agent.check("python fit.py --lr 1", str(repository))._repr_html_()


def test_a_run_hands_out_its_events_and_its_result(repository: Path) -> None:
    run = ml_agent.start(TASK, repo=str(repository), run="none")
    assert {event.phase for event in run} >= {"understand", "plan", "generate", "check"}
    assert run.result(timeout=WAIT).ok


def test_events_come_to_async_callers_too(repository: Path) -> None:
    async def phases() -> set[str]:
        run = ml_agent.start(TASK, repo=str(repository), run="none")
        return {event.phase async for event in run}

    assert "check" in asyncio.run(phases())
    assert asyncio.run(ml_agent.asolve(TASK, repo=str(repository), run="none")).ok


def test_a_cancelled_run_ends_at_its_next_event() -> None:
    seen = []

    def work(stream: EventStream) -> ml_agent.Result:
        for number in range(1000):
            stream.on_output(str(number))
            seen.append(number)
            if number == 0:
                run_holder[0].cancel()
        raise AssertionError("was not stopped")

    run_holder: list[Run] = []
    import threading

    ready = threading.Event()

    def start_when_ready(stream: EventStream) -> ml_agent.Result:
        ready.wait(WAIT)
        return work(stream)

    run_holder.append(Run(start_when_ready))
    ready.set()
    with pytest.raises(CancelledRunError):
        run_holder[0].result(timeout=WAIT)
    assert seen == [0]


def test_a_cancelled_run_can_be_resumed(repository: Path, tmp_path: Path) -> None:
    run = ml_agent.start(TASK, repo=str(repository), run="none", out=tmp_path / "run")
    run.cancel()
    with pytest.raises(CancelledRunError):
        run.result(timeout=WAIT)
    done = subprocess.run(
        [sys.executable, "-m", "ml_agent", "resume", str(tmp_path / "run"), "-q"],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and "--lr 0.25" in done.stdout, done


def test_every_error_is_a_kind_of_agent_error(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    with pytest.raises(ml_agent.UsageError, match="nowhere"):
        ml_agent.check("python fit.py", nowhere)
    with pytest.raises(ml_agent.UsageError, match="nowhere"):
        ml_agent.explain(nowhere)
    with pytest.raises(ml_agent.UsageError, match="nowhere"):
        ml_agent.find("cluster points", catalog=nowhere)
    with pytest.raises(ml_agent.UsageError, match="nowhere"):
        ml_agent.solve(TASK, catalog=nowhere)
    with pytest.raises(ml_agent.ProviderError):
        ml_agent.find("cluster points", github_api="http://127.0.0.1:9", max_wait=0)
    assert issubclass(ml_agent.CancelledRunError, ml_agent.AgentError)


def test_check_explain_and_find(repository: Path) -> None:
    assert ml_agent.check("python fit.py --lr 0.1", str(repository)).ok
    wrong = ml_agent.check("python fit.py --lrr 0.1", str(repository))
    assert not wrong.ok and wrong.findings[0].suggestion == "--lr"
    (signature,) = ml_agent.explain(str(repository), "fit.py")
    assert [option.dest for option in signature.options if option.flags != ("-h", "--help")] == ["lr"]
    with pytest.raises(ml_agent.UsageError, match="nothing"):
        ml_agent.explain(str(repository), "nothing.py")
    assert ml_agent.find("cluster points into groups", catalog="sample")


def test_numbers_are_values_and_anything_else_is_refused(repository: Path) -> None:
    result = ml_agent.solve("fit the model", repo=repository, run="none", arguments={"lr": 0.25})
    assert result.answer is not None and result.answer.text == "python fit.py --lr 0.25"
    wrong: tuple[dict[str, Any], ...] = (
        {"arguments": {"lr": None}},
        {"arguments": [("lr", "1")]},
        {"arguments": {1: "1"}},
        {"expect": 5},
        {"expect": [5]},
    )
    for options in wrong:
        with pytest.raises(ml_agent.UsageError):
            ml_agent.solve(TASK, repo=repository, run="none", **options)
    nothing: Any = None
    for call in (ml_agent.solve, ml_agent.find, lambda text: ml_agent.check(text, repository)):
        with pytest.raises(ml_agent.UsageError, match="must be text"):
            call(nothing)
