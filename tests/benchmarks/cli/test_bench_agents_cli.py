"""`ml-agent bench run` with the least agent, in sandboxes of this machine; models are scripted servers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.predictions import load_predictions
from ml_agent.benchmarks.subjects.agents import LeastAgent
from tests.servers.model_server import Answer, ModelServer, Response, Seen, completion

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
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(bench / "cache"))
    LeastAgent().install(bench / "cache/agents")


def run(model: ModelServer, *words: str) -> tuple[str, ...]:
    more = ("--model", "m", "--base-url", model.url, "--sandbox", "local", "--unisolated")
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


def test_an_endpoint_that_is_not_there_is_said_before_anything_is_tried(
    call: Call, model: ModelServer, bench: Path
) -> None:
    nowhere = "http://127.0.0.1:9/v1"
    for words in (run(model, "--form", "L"), run(model)):
        said = call(*(nowhere if word == model.url else word for word in words))
        assert said.code == 4 and "http://127.0.0.1:9/v1 cannot be reached" in said.err, said
        assert len(said.err.strip().splitlines()) == 1
    assert not list(bench.glob("out/*"))
