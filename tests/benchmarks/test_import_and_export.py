"""Runs of other agents come in, rows go out as chat examples."""

import json
from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.export import Wanted, write_examples
from ml_agent.benchmarks.predict import contexts
from ml_agent.benchmarks.predict.raw import extract
from ml_agent.benchmarks.predictions import load_predictions


def test_our_own_lines_keep_single_texts(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"github_id": 1, "id": 2, "output": "python a.py "}\n\n')
    assert load_predictions(path)[0].output == ("python a.py ",)


def task(number: int, oracle: str = "python train.py --lr 0.1") -> Task:
    return Task(
        github_id=1, id=number, github="https://github.com/some/sample", path="./", arguments={}, instruction="Train it with lr 0.5.",
        oracle=oracle, kind="bash", output="python train.py --lr 0.5",
    )  # fmt: skip


@pytest.fixture
def repos(tmp_path: Path) -> Path:
    root = tmp_path / "repos" / "sample"
    root.mkdir(parents=True)
    sentences = (
        [f"Sentence {n} is about nothing." for n in range(30)]
        + ["Train with lr."]
        + [f"Line {n} ends." for n in range(30)]
    )
    (root / "README.md").write_text(" ".join(sentences))
    (root / "a.py").write_text("print(1)\n")
    (root / "z.bin").write_bytes(b"\xff\xfe\x00")
    return tmp_path / "repos"


def test_chat_examples(repos: Path, tmp_path: Path) -> None:
    number, reasons = write_examples(
        [task(1), task(2, "word " * 500)], repos, Wanted(context=300), tmp_path / "out.jsonl"
    )
    assert number == 1
    assert reasons[0].startswith("1-2: ")
    (line,) = (tmp_path / "out.jsonl").read_text().splitlines()
    example = json.loads(line)
    assert [m["role"] for m in example["messages"]] == ["user", "assistant"]
    assert example["messages"][1]["content"] == "```bash\npython train.py --lr 0.5\n```"
    assert "python train.py --lr 0.1" in example["messages"][0]["content"]
    assert 0 < example["tokens"] <= 300


def test_what_each_setting_shows(repos: Path) -> None:
    root = repos / "sample"
    window = contexts.retrieved("Train with lr", contexts.readme(root, "."))
    assert "Train with lr." in window and "Sentence 1 " not in window
    text = contexts.code(root, 10_000)
    assert text.index("README.md") < text.index("=== a.py ===") and "z.bin" not in text
    assert contexts.cut("one two three four", 2)[1] <= 2
    assert contexts.readme(root, "nothing/here") == contexts.readme(root, ".")
    assert contexts.retrieved("x", "") == ""


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Sure:\n```bash\nls\n```\nor\n```python\nx = 1\n```", "x = 1"),
        ("```\nsh a.sh\n```", "sh a.sh"),
        ("python a.py", "python a.py"),
        ("", ""),
    ],
)
def test_the_published_way_to_take_an_answer_out_of_a_reply(reply: str, answer: str) -> None:
    assert extract(reply) == answer
