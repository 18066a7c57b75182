"""Runs of other agents come in, rows go out as chat examples."""

import json
from pathlib import Path

import pytest

from benchmarks.data import Task
from benchmarks.errors import PredictionFileError
from benchmarks.export import Wanted, token_statistics, write_examples
from benchmarks.imports import import_run
from benchmarks.predict import contexts
from benchmarks.predict.raw import extract
from benchmarks.predictions import load_predictions

OPENHANDS = {
    "instance_id": 7, "instance": {"github_id": 3, "instance_id": 7}, "metadata": {"agent_class": "CodeActAgent"},
    "test_result": {"eval_script_content": "python a.py --x 1", "success": 1},
    "metrics": {"accumulated_cost": 0.25, "accumulated_token_usage": {"prompt_tokens": 10, "completion_tokens": 2}, "costs": [1, 2]},
}  # fmt: skip


def test_open_hands(tmp_path: Path) -> None:
    path = tmp_path / "output.jsonl"
    path.write_text(json.dumps(OPENHANDS) + "\n")
    (found,) = import_run(path)
    assert (str(found.key), found.output, found.subject) == ("3-7", ("python a.py --x 1",), "CodeActAgent")
    assert (found.usage.usd, found.usage.calls, found.usage.prompt_tokens) == (0.25, 2, 10)


def test_preds(tmp_path: Path) -> None:
    path = tmp_path / "preds.json"
    path.write_text(
        json.dumps({"3-7": {"model_patch": "sh a.sh ", "model_name_or_path": "m"}, "other": {"model_patch": "x"}})
    )
    (found,) = import_run(path)
    assert (str(found.key), found.output, found.subject) == ("3-7", ("sh a.sh ",), "m")


def test_trajectories(tmp_path: Path) -> None:
    for name, submission in (("3-7/run.traj.json", "python a.py "), ("3-8.traj", "")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        stats = {"api_calls": 3, "instance_cost": 0.1, "tokens_sent": 5}
        path.write_text(
            json.dumps({"info": {"submission": submission, "exit_status": "LimitsExceeded", "model_stats": stats}})
        )
    first, second = sorted(import_run(tmp_path), key=lambda p: p.id)
    assert (first.output, first.usage.calls, first.usage.prompt_tokens) == (("python a.py ",), 3, 5)
    assert (second.output, second.error) == ((), "LimitsExceeded")


@pytest.mark.parametrize(
    ("name", "text"), [("preds.json", "[]"), ("preds.json", "{}"), ("a.traj.json", "{broken"), ("out.jsonl", "{}")]
)
def test_files_without_rows(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(PredictionFileError):
        import_run(tmp_path / name)


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


def test_token_statistics(repos: Path) -> None:
    oracle, code = token_statistics([task(1), task(2)], repos, ("oracle", "code"))
    assert (oracle.rows, oracle.setting) == (2, "oracle")
    assert oracle.mean < code.mean


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
