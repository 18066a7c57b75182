"""Requests of made rows in a model's words: taken where they hold, told where they do not."""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.cli import app
from ml_agent.benchmarks.make.wording import WORDED, refused
from ml_agent.errors import AgentError
from tests.servers.model_server import Answer, ModelServer, Response, Seen, completion, refusal

SCRIPT = """
import argparse
parser = argparse.ArgumentParser(description="Train a graph network.")
parser.add_argument("--data", required=True, help="path to the dataset")
parser.add_argument("--lr", type=float, default=0.1, help="initial learning rate")
parser.add_argument("--epochs", type=int, default=100, help="number of epochs to train")
parser.add_argument("--hidden", type=int, default=16, help="size of the hidden layer")
args = parser.parse_args()
"""
ROW: dict[str, Any] = {
    "style": "plain",
    "instruction": "Train on data/cora for 5 epochs.",
    "output": "python train.py --data data/cora --epochs 5",
    "arguments": {"data": "data/cora", "epochs": "5"},
}


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    root = tmp_path / "kit"
    root.mkdir()
    (root / "train.py").write_text(SCRIPT)
    (root / "README.md").write_text("# Kit\n\n```sh\npython train.py --data data/cora --epochs 20\n```\n")
    return root


def says(reply: Callable[[str], str]) -> Callable[[Seen, Answer], Response]:
    """A model that answers with a text made of the request that it is to reword."""

    def spoiled(seen: Seen, answer: Answer) -> Response:
        asked = seen.body["messages"][0]["content"]
        return completion({"content": reply(asked.split("Request: ")[1].split("\nThe command")[0])}, seen)

    return spoiled


def make(
    kit: Path, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rows: int = 2
) -> dict[str, Any]:
    """What `bench make --model` reports, and the requests of its rows."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    out = kit.parent / "rows.jsonl"
    arguments = ["make", str(kit), "--out", str(out), "--rows", str(rows), "--model", "m", "--base-url", url]
    arguments += ["--jobs", "1"]
    assert app([*arguments, "--json"], standalone_mode=False) == 0
    report = json.loads(capsys.readouterr().out)
    return {**report, "requests": [json.loads(line)["instruction"] for line in out.read_text().splitlines()]}


def test_rows_take_the_models_words(
    kit: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer(misbehaviour=says(lambda request: f"Kindly: {request}")) as server:
        made = make(kit, server.url, monkeypatch, capsys)
        assert made["wording"] == {WORDED: 2} and len(server.requests) == 2
    assert all(request.startswith("Kindly: ") for request in made["requests"])
    assert "path to the dataset" in server.requests[0].text


def test_rows_that_lost_a_value_keep_the_template(
    kit: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer(misbehaviour=says(lambda request: "Please train something nice.")) as server:
        made = make(kit, server.url, monkeypatch, capsys)
    assert made["wording"] == {"template: a value was lost": 2}
    assert "Please train something nice." not in made["requests"]


def test_a_model_that_fails_is_told_and_not_asked_for_ever(
    kit: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer(misbehaviour=lambda seen, answer: refusal(400, "no such model")) as server:
        made = make(kit, server.url, monkeypatch, capsys, rows=5)
        assert made["wording"] == {"template: the model failed": 5} and len(server.requests) == 3


def test_a_dead_endpoint_ends_it_before_any_work(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    out = kit.parent / "rows.jsonl"
    with pytest.raises(AgentError, match="cannot be reached"):
        app(["make", str(kit), "--out", str(out), "--model", "m", "--base-url", url], standalone_mode=False)
    assert not out.exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Go through data/cora 5 times.", ""),
        ("Train on data/cora, 5 epochs", ""),
        ("", "no text"),
        ("Train on data/cora for 50 epochs.", "a value was lost"),
        ("Train on data/cora for 0.5 epochs.", "a value was lost"),
        ("Train on cora for 5 epochs.", "a value was lost"),
        ("Train on data/cora for 5 epochs with a rate of 0.1.", "a number was added"),
    ],
)
def test_what_speaks_against_a_wording(text: str, reason: str) -> None:
    assert refused(text, ROW) == reason
