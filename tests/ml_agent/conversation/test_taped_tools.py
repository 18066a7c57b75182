"""A recorded conversation, looks in the sandbox and a failed run included, plays back to the same bytes without either."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from ml_agent.request import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.settings import load_settings
from ml_agent.trajectory import read_trajectory
from tests.servers.model_server import Answer, ModelServer, Seen
from tests.servers.talkers import able, command, replies

FIT = """import argparse
import json
parser = argparse.ArgumentParser()
parser.add_argument("--kernel", default="flat", help="shape of the window")
parser.add_argument("--width", type=int, default=3)
args = parser.parse_args()
print("smoothed", json.load(open("kernels.json"))[args.kernel], args.width)
"""
TASK = "Smooth the series with a window of width 7 that is shaped like a bell."
CALLS = (
    Answer("read", {"path": "smooth.py"}),
    Answer("run", {"command": "ls; python smooth.py --width 2"}),
    command("python smooth.py --kernel gauss --width 7"),
)


def talk(seen: Seen) -> Answer:
    """Looks, answers with a kernel that does not exist, and takes the right one when the run has said so."""
    if "It was run: exit 0" in seen.text:
        return Answer("done", {"what": "a smoothed series"})
    if "What we make of it" in seen.text:
        return command("python smooth.py --kernel bell --width 7")
    return CALLS[min(replies(seen), len(CALLS) - 1)]


def run(url: str, root: Path, out: Path, **tape: Any) -> dict[str, Any]:
    settings = load_settings(
        navigator="llm", model="m", base_url=url, api_key="sesame", run="full", sandbox="local", unisolated=True,
        network="none", timeout=30, cache_dir=out.parent / "cache",
    )  # fmt: skip
    return run_job(Job(instruction=TASK, repository=str(root), **tape), settings, new_run(Path("runs"), out, {}))


def events(out: Path) -> list[dict[str, Any]]:
    """What a run did, without its times and places."""
    kept = ("tool", "draft", "stand-in", "diagnosis", "phase")
    dropped = ("time", "seconds", "note")
    return [
        {key: value for key, value in event.items() if key not in dropped}
        for event in read_trajectory(out / "trajectory.jsonl")
        if event["event"] in kept
    ]


def test_a_taped_tool_run_is_played_back_to_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "smoothing"
    root.mkdir()
    (root / "smooth.py").write_text(FIT)
    (root / "kernels.json").write_text('{"flat": [1, 1], "bell": [1, 2, 1]}')
    (root / "README.md").write_text("# Smoothing\n\nSmooth a series:\n\n```bash\npython smooth.py --width 5\n```\n")
    with ModelServer(able(talk)) as server:
        url = server.url
        recorded = run(url, root, tmp_path / "a", record=str(tmp_path / "tape"))
    assert recorded["evidence"] == "completed"
    assert recorded["answer"]["text"] == "python smooth.py --kernel bell --width 7"
    tools = [event for event in events(tmp_path / "a") if event["event"] == "tool"]
    assert [event["name"] for event in tools] == ["read", "run", "answer", "answer", "done"]
    assert "smoothed [1, 1] 2" in tools[1]["result"]

    def no_network(*_arguments: Any, **_keywords: Any) -> None:
        raise AssertionError("a replay must not use the network")

    monkeypatch.setattr(socket, "create_connection", no_network)
    replayed = run(url, root, tmp_path / "b", replay=str(tmp_path / "tape"))
    assert json.dumps(replayed["answer"]) == json.dumps(recorded["answer"])
    assert (tmp_path / "a" / "answer.sh").read_bytes() == (tmp_path / "b" / "answer.sh").read_bytes()
    assert events(tmp_path / "a") == events(tmp_path / "b")
    for key in ("prompt_tokens", "completion_tokens", "calls"):
        assert replayed["budget"][key] == recorded["budget"][key]


@pytest.mark.parametrize("disputes", [True, False])
def test_a_disputed_answer_is_run_and_the_run_tells_who_is_right(disputes: bool, tmp_path: Path) -> None:
    root = tmp_path / "making"
    root.mkdir()
    (root / "make.py").write_text("from pathlib import Path\nPath('made.py').write_text('print(7)')\n")
    (root / "README.md").write_text("# Making\n\nMake it:\n\n```bash\npython make.py\n```\n")
    text = "python make.py && python made.py --width 7"
    why = {"finding": "no-such-file: made.py", "why": "make.py writes it"}

    def talk(seen: Seen) -> Answer:
        return Answer("dispute", why) if disputes and replies(seen) == 1 else command(text)

    with ModelServer(able(talk)) as server:
        result = run(server.url, root, tmp_path / "out")
    assert (result["answer"]["text"], result["evidence"]) == (text, "completed" if disputes else "none")
    assert list(result["answer"]["disputes"]) == ([why] if disputes else [])
    assert [finding["code"] for finding in result["answer"]["findings"]] == ["no-such-file"]


def test_a_disputed_delivery_ends_with_the_answer_and_the_dispute(tmp_path: Path) -> None:
    root = tmp_path / "saying"
    root.mkdir()
    (root / "say.py").write_text("print('said')\n")
    (root / "README.md").write_text("# Saying\n\nSay it:\n\n```bash\npython say.py\n```\n")
    why = {"finding": "plot.png was not written", "why": "it is printed"}

    def talk(seen: Seen) -> Answer:
        return Answer("dispute", why) if replies(seen) else command("python say.py")

    with ModelServer(able(talk)) as server:
        result = run(server.url, root, tmp_path / "out", expect=("plot.png",))
        asked = len([seen for seen in server.requests if "answer" in seen.functions])
    assert (result["evidence"], result["answer"]["text"]) == ("completed", "python say.py")
    assert list(result["answer"]["disputes"]) == [why] and asked == 2
    assert result["ending"] == "not-delivered" and "it is printed" in result["message"]
