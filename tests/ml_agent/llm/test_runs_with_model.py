"""Whole runs that think with a model, good or bad: each ends proven, or says honestly why not, within its budget."""

import json
import socket
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import ml_agent
from ml_agent.api_types import result_of
from ml_agent.card import card
from ml_agent.errors import ConfigurationError
from ml_agent.job import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.settings import load_settings
from ml_agent.testing.misbehaviours import MISBEHAVIOURS
from ml_agent.testing.model_server import Answer, Brain, ModelServer
from ml_agent.testing.talkers import command, saying
from ml_agent.trajectory import read_trajectory

FIT = (
    "import argparse\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--lr", type=float, default=0.1, help="learning rate")\n'
    'parser.add_argument("--out", default="metrics.json")\n'
    "args = parser.parse_args()\n"
)
TASK = "Fit the linear model with learning rate 0.25."
ANSWER = "python fit.py --lr 0.25"


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    entries = []
    for name, what in (("fitting", "Fit the linear model"), ("painting", "Paint pictures of linear landscapes")):
        root = tmp_path / name
        root.mkdir()
        (root / "fit.py").write_text(FIT)
        (root / "README.md").write_text(f"# {name}\n\n{what}:\n\n```bash\npython fit.py --lr 0.5\n```\n")
        entries.append({"full_name": f"me/{name}", "description": what, "url": f"./{name}"})
    path = tmp_path / "catalog.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


willing = saying(Answer("read", {"path": "fit.py"}), command(ANSWER))


def run(server_url: str, out: Path, job: Job, **flags: Any) -> dict[str, Any]:
    flags = {"fallback": "grounded", **flags}
    settings = load_settings(navigator="llm", model="m", base_url=server_url, api_key="sesame", run="none", **flags)
    return run_job(job, settings, new_run(Path("runs"), out, {}))


@pytest.mark.parametrize(
    "name",
    [
        "wrong JSON",
        "two calls",
        "tools not supported",
        "nothing but text",
        "429 for hours",
        pytest.param("half-closed stream", marks=pytest.mark.slow),
        "refusal",
        "usage missing",
        "usage absurd",
        "half a character",
        "brackets without end",
        "cut off",
    ],
)
def test_a_bad_model_still_ends_with_a_sound_answer(name: str, catalog: Path, tmp_path: Path) -> None:
    job = Job(instruction=TASK, catalog=str(catalog))
    with ModelServer(willing, MISBEHAVIOURS[name]) as server:
        result = run(server.url, tmp_path / "out", job, max_tokens=30_000, max_calls=60)
    assert (result["ending"], result["evidence"], result["answer"]["text"]) == ("checked", "checked", ANSWER)
    spent = result["budget"]["prompt_tokens"] + result["budget"]["completion_tokens"]
    assert result["usd"] is None and 0 <= spent <= 30_000
    assert "sesame" not in "".join(
        path.read_text(errors="replace") for path in (tmp_path / "out").rglob("*") if path.is_file()
    )


@pytest.mark.parametrize("fallback", ["", "grounded"])
@pytest.mark.parametrize("limit", [{"max_tokens": 500}, {"max_calls": 1}], ids=str)
def test_a_spent_budget_is_no_reason_to_give_up(
    limit: dict[str, int], fallback: str, catalog: Path, tmp_path: Path
) -> None:
    job = Job(instruction=TASK, catalog=str(catalog))
    with ModelServer(willing) as server:
        result = run(server.url, tmp_path / "out", job, fallback=fallback, **limit)
        assert server.requests and len(server.requests) <= limit.get("max_calls", 100)
        assert server.most_tokens <= limit.get("max_tokens", 30_000)
    events = [event["event"] for event in read_trajectory(tmp_path / "out" / "trajectory.jsonl")]
    assert result["answer"]["text"] == ANSWER and "stand-in" in events


def test_a_refused_key_ends_the_run_with_what_to_do(catalog: Path, tmp_path: Path) -> None:
    job = Job(instruction=TASK, catalog=str(catalog))
    with (
        ModelServer(willing, MISBEHAVIOURS["key refused"]) as server,
        pytest.raises(ConfigurationError, match="OPENAI_API_KEY"),
    ):
        run(server.url, tmp_path / "out", job, fallback="")


REJECTS = saying(Answer("reject", {"why": "it paints"}))
INSISTS = saying(command("python fit.py --depth 3"))


@pytest.mark.parametrize(
    ("brain", "reason"),
    [(REJECTS, "finds that the repository cannot do it: it paints"), (INSISTS, "was not taken (unknown-option: ")],
)
def test_why_the_tables_answered_is_said(brain: Brain, reason: str, catalog: Path, tmp_path: Path) -> None:
    job = Job(instruction=TASK, repository=str(catalog.parent / "fitting"))
    with ModelServer(brain) as server:
        result = run(server.url, tmp_path / "out", job, model_profile="tools")
    assert (result["answer"]["text"], result["answer"]["source"]) == (ANSWER, "grounded")
    (one,) = result["stand_ins"]
    assert one["phase"] == "generate" and reason in one["reason"]
    (line,) = (line for line in card(result) if line.startswith("model "))
    assert reason in line and result_of(result).stand_ins[0].reason == one["reason"]
    written = json.loads((tmp_path / "out/run.json").read_text())
    jsonschema.validate(written, json.loads((Path(ml_agent.__file__).parent / "run.schema.json").read_text()))


@pytest.mark.parametrize("name", [None, "wrong JSON", "tools not supported", "429 without Retry-After"])
def test_a_recorded_run_is_played_back_without_the_model(
    name: str | None, catalog: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape = str(tmp_path / "tape")
    with ModelServer(willing, MISBEHAVIOURS[name] if name else None) as server:
        url = server.url
        recorded = run(url, tmp_path / "a", Job(instruction=TASK, catalog=str(catalog), record=tape), max_tokens=30_000)
        asked = len(server.requests)

    def no_network(*_arguments: Any, **_keywords: Any) -> None:
        raise AssertionError("a replay must not use the network")

    monkeypatch.setattr(socket, "create_connection", no_network)
    replayed = run(url, tmp_path / "b", Job(instruction=TASK, catalog=str(catalog), replay=tape), max_tokens=30_000)
    assert asked > 0 and replayed["answer"] == recorded["answer"]
    assert (tmp_path / "a" / "answer.sh").read_bytes() == (tmp_path / "b" / "answer.sh").read_bytes()
    for key in ("prompt_tokens", "completion_tokens", "calls"):
        assert replayed["budget"][key] == recorded["budget"][key]
