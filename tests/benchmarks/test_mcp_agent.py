"""The same agent with a shell alone and with the MCP server's tools, before a scripted model."""

import json
from pathlib import Path

import pytest

from ml_agent.benchmarks.data import load_tasks
from ml_agent.benchmarks.mcp_agent.__main__ import draw, main
from ml_agent.benchmarks.predictions import load_predictions
from ml_agent.samples import repository_path
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.testing.model_server import Answer, ModelServer, Seen
from ml_agent.testing.talkers import replies

pytest.importorskip("mcp")
COMMAND = "python train/fit_mlp.py --lr 0.05"
ROW = {
    "github_id": 1, "id": 1, "github": "sample://planar-nets", "path": "./", "arguments": {"lr": "0.05"}, "type": "Bash Script",
    "instruction": "Fit the perceptron with a learning rate of 0.05.", "oracle": "", "output": COMMAND, "commit": "",
}  # fmt: skip


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    if find_bubblewrap() is None:
        pytest.skip("nothing isolates here")
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(ROW) + "\n")
    return file


@pytest.mark.parametrize("tools", [False, True], ids=["alone", "with tools"])
def test_it_looks_answers_and_is_counted(rows: Path, tools: bool, tmp_path: Path) -> None:
    offered: list[set[str]] = []
    told: list[str] = []

    def brain(seen: Seen) -> Answer:
        offered.append(set(seen.functions))
        told.extend(str(message["content"]) for message in seen.body["messages"] if message["role"] == "tool")
        look = Answer("shell", {"command": "head -n 1 README.md; touch left; echo $HOME"})
        wrong = {"command": "python train/fit_mlp.py --lrr 1", "repository": str(repository_path("planar-nets"))}
        steps = [look, *([Answer("check_command", wrong)] if tools else []), Answer("answer", {"command": COMMAND})]
        return steps[min(replies(seen), len(steps) - 1)]

    out = tmp_path / "out.jsonl"
    with ModelServer(brain=brain) as server:
        call = ["run", "--tasks", str(rows), "--repos", str(repository_path("planar-nets").parent), "--out", str(out)]
        call += ["--base-url", server.url, "--model", "scripted", *(["--tools"] if tools else [])]
        assert main(call) == 0
        assert main(call) == 0, "what is answered is not asked again"
    (line,) = load_predictions(out)
    assert line.output == (COMMAND,) and line.usage.calls == (3 if tools else 2) and line.usage.prompt_tokens > 100
    assert ("check_command" in offered[0]) is tools and {"shell", "answer"} <= offered[0]
    assert any("planar" in text.lower() for text in told)
    assert any("--lr" in text and "suggestion" in text for text in told) is tools
    assert not (repository_path("planar-nets") / "left").exists()


def test_ten_rows_are_one_of_each_repository_and_always_the_same(tmp_path: Path) -> None:
    tasks = list(load_tasks("wild").tasks)
    for task in tasks:
        (tmp_path / task.repository).mkdir(exist_ok=True)
    drawn = draw(tasks, tmp_path)
    assert len({task.repository for task in drawn}) == len(drawn) == 10 and drawn == draw(tasks, tmp_path)
    out = tmp_path / "ten.jsonl"
    assert main(["rows", "--repos", str(tmp_path), "--out", str(out)]) == 0
    assert list(load_tasks(str(out)).tasks) == drawn
