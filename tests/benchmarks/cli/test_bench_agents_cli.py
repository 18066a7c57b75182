"""`ml-agent bench run` and `table` with the least agent, in sandboxes of this machine; models are scripted servers."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.predictions import load_predictions
from ml_agent.benchmarks.subjects.testing import LeastAgent
from tests.processor_time import WAIT
from tests.servers.model_server import Answer, ModelServer, Response, Seen, completion, refusal

Call = Callable[..., Any]
Rows = Callable[..., None]
ON = ("--tasks", "{rows}", "--repos", "{repos}")
KEY = "sk-this-must-stay-outside"
ANSWER = "python train.py --lr 0.5 --epochs 2"
CRASH = "CRASH"


def writes(text: str) -> Callable[[Seen], Answer]:
    """A model that writes run.sh in its first reply and then says that it is done."""
    return lambda seen: Answer("bash", {"command": f"echo '{text}' > run.sh"})


def stops(seen: Seen, answer: Answer) -> Response | None:
    """The second reply calls no tool; a row that asks for a crash gets arguments that are no JSON."""
    if CRASH in seen.text:
        call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{"}}
        return completion({"content": None, "tool_calls": [call]}, seen)
    return completion({"content": "Done."}, seen) if len(seen.body["messages"]) > 1 else None


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer(writes(ANSWER), stops) as server:
        yield server


@pytest.fixture(autouse=True)
def agents(bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    LeastAgent().install(bench / "agents")


def test_every_agent_that_can_be_installed_is_listed(call: Call) -> None:
    listed = {agent["name"] for agent in json.loads(call("agents", "list", "--home", "{tmp}/agents", "--json").out)}
    assert {"least", "mini-swe-agent", "swe-agent"} <= listed
    assert "least" in call("agents", "install", "gpt").err


def run(model: ModelServer, *words: str) -> tuple[str, ...]:
    more = ("--home", "{tmp}/agents", "--model", "m", "--base-url", model.url, "--sandbox", "local", "--unisolated")
    return (
        "run",
        "--agent",
        "least",
        *ON,
        "--out",
        "{tmp}/out",
        *more,
        "--max-calls",
        "4",
        "--max-seconds",
        "60",
        *words,
    )


def test_form_l_answers_rows_and_goes_on(call: Call, model: ModelServer, bench: Path, rows: Rows) -> None:
    rows({})
    assert call(*run(model, "--form", "L")).code == 0
    rows({}, {}, {"github": "https://github.com/some/other"})
    said = call(*run(model, "--form", "L"))
    assert said.code == 0 and "no answer 1-2: no repository other" in said.err
    first, second, _ = load_predictions(bench / "out/predictions.jsonl")
    assert first.output == second.output == (ANSWER,) and len(model.requests) == 4
    assert first.usage.calls == 2 and first.subject == "least 1, m"
    assert not [p for p in bench.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]


@pytest.mark.slow
def test_an_agent_that_crashes_is_a_row_and_the_rest_goes_on(
    call: Call, model: ModelServer, bench: Path, rows: Rows
) -> None:
    rows({"instruction": CRASH}, {})
    said = call(*run(model, "--form", "L", "--attempts", "2", "--jobs", "2"))
    assert said.code == 0 and "no answer 1-0: no answer was written (failed: exit 1" in said.err
    found = load_predictions(bench / "out/predictions.jsonl")
    assert [len(p.output) for p in found] == [0, 2]


def test_an_endpoint_that_fails_is_said(call: Call, bench: Path, rows: Rows) -> None:
    rows({})
    with ModelServer(writes(ANSWER), lambda seen, answer: refusal(503, "overloaded")) as model:
        said = call(*run(model, "--form", "L"))
    assert "1-0: the endpoint failed: " in said.err and "overloaded" in said.err


def test_an_endpoint_that_is_not_there_is_said_before_anything_is_tried(
    call: Call, model: ModelServer, bench: Path
) -> None:
    nowhere = "http://127.0.0.1:9/v1"
    for words in (run(model, "--form", "L"), run(model), table(model, "--subjects", "grounded,least")):
        said = call(*(nowhere if word == model.url else word for word in words))
        assert said.code == 4 and "no endpoint answers at http://127.0.0.1:9/v1" in said.err, said
        assert len(said.err.strip().splitlines()) == 1
    assert not (bench / "table/grounded.jsonl").exists()


@pytest.mark.slow
def test_form_a_runs_what_was_left(call: Call, model: ModelServer, bench: Path, rows: Rows) -> None:
    rows({}, {"github": "https://github.com/some/other"})
    said = call(*run(model, "--json"))
    figures = json.loads(said.out)
    assert said.code == 1 and "no result 1-1: no repository other" in said.err
    assert (figures["official"], figures["strict"], figures["without_result"]) == (1, 1, 1)
    lines = (bench / "out/output.jsonl").read_text().splitlines()
    assert [json.loads(line)["instance_id"] for line in lines] == ["1-0", "1-1"] and KEY not in "".join(lines)
    rows({})
    said = call(*run(model))
    assert said.code == 0 and "official: 1" in said.err


def table(model: ModelServer, *words: str) -> tuple[str, ...]:
    more = ("--home", "{tmp}/agents", "--model", "m", "--base-url", model.url, "--sandbox", "local")
    return ("table", *ON, "--out", "{tmp}/table", *more, "--max-calls", "4", "--max-seconds", "60", *words)


@pytest.mark.slow
def test_one_table_of_all_kinds_of_subjects(call: Call, model: ModelServer, bench: Path) -> None:
    said = call(*table(model, "--subjects", "grounded,raw,oracle,least,aider"))
    assert said.code == 0, said.err
    report = (bench / "table/scores/report.md").read_text()
    assert "| grounded | 3 | 100.0 % |" in report and "| least 1, m | 3 | 100.0 % |" in report
    head, grounded = (
        next(line for line in report.splitlines() if line.startswith(f"| {name} |")).split(" | ")
        for name in ("subject", "grounded")
    )
    assert grounded[head.index("official rules 1-2")] == "100.0 %", "beside the strict score"
    assert "| raw m | 3 | 0.0 % |" in report and "| oracle m | 3 | 0.0 % |" in report
    assert "| aider | did not run |" in report and "aider did not run: aider is not installed" in report
    assert "limits of a row: 4 calls, 60 seconds" in report and said.out.startswith("# ML-Bench: 4 subjects on 3 rows")
    assert "did not run" in (bench / "table/scores/report.html").read_text()
    asked = len(model.requests)
    assert call(*table(model, "--subjects", "grounded,raw,oracle,least")).code == 0
    assert len(model.requests) == asked, "what is done is not done again"


@pytest.mark.slow
def test_an_agent_that_never_asks_the_model_did_not_run(
    call: Call, model: ModelServer, bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ml_agent.benchmarks.subjects.testing.RESULT", "records/absent/least.json")
    monkeypatch.setattr(LeastAgent, "launch", lambda self, task, inside: _broken())
    said = call(*table(model, "--subjects", "grounded,least"))
    assert said.code == 0 and "least did not run: no answer was written (failed" in said.err
    assert "| least | did not run |" in (bench / "table/scores/report.md").read_text()


def _broken() -> Any:
    from ml_agent.benchmarks.subjects.model import Launch

    return Launch(arguments=("python3", "-c", "import nothing_of_this_name"))


@pytest.mark.slow
def test_a_table_that_is_killed_goes_on(bench: Path, rows: Rows) -> None:
    rows(*[{}] * 12)
    with ModelServer(writes(ANSWER), stops) as model:
        named = {"rows": bench / "rows.jsonl", "repos": bench / "repos", "tmp": bench}
        words = [word.format(**named) for word in table(model, "--subjects", "grounded,least")]
        command = [sys.executable, "-m", "ml_agent", "bench", *words]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        done = bench / "table/least.jsonl.rows"
        deadline = time.monotonic() + WAIT
        while time.monotonic() < deadline and len(list(done.glob("*/*.json"))) < 4:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before = {p: p.stat().st_mtime_ns for p in done.glob("*/*.json")}
        assert 4 <= len(before) < 12
        asked = len(model.requests)
        again = subprocess.run(command, capture_output=True, text=True, check=False)
        assert again.returncode == 0, again.stderr
        assert len(model.requests) - asked <= 2 * (12 - len(before))
    after = {p: p.stat().st_mtime_ns for p in done.glob("*/*.json")}
    assert len(after) == 12 and {p: after[p] for p in before} == before
    assert "| least 1, m | 12 | 100.0 % |" in (bench / "table/scores/report.md").read_text()
