"""Rows: loading, problems by row, and what a navigator may see."""

import json
from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.data import Visible, load_tasks, parse_arguments, task_of, visible
from ml_agent.benchmarks.errors import BenchError

ROW = {
    "github_id": 1, "github": "https://github.com/Some/Sample", "repo_id": 4, "id": 7, "path": "./examples/x", "arguments": "{'lr': '0.1'}",
    "instruction": "Train it with lr 0.1.", "type": "Bash Script", "prefix_code": "cd x",
    "output": "python train.py --lr 0.1",
}  # fmt: skip


def written(path: Path, *rows: Any) -> str:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return str(path)


def test_a_row(tmp_path: Path) -> None:
    (task,) = load_tasks(written(tmp_path / "rows.jsonl", ROW)).tasks
    assert (str(task.key), task.repository, task.folder, task.kind) == ("1-7", "sample", "examples/x", "bash")
    assert task.arguments == {"lr": "0.1"}


@pytest.mark.parametrize(("path", "folder"), [("./", "."), ("", "."), (".", "."), ("./a/b/", "a/b"), ("a", "a")])
def test_folders(path: str, folder: str) -> None:
    assert task_of({**ROW, "path": path}).folder == folder


def test_bad_rows_are_reported_and_the_others_stay(tmp_path: Path) -> None:
    rows = [
        ROW,
        {**ROW, "id": 8, "arguments": "{'lr': 'it's'}"},
        "{broken",
        ROW,
        {**ROW, "id": 9, "type": "Rust"},
        {**ROW, "id": "x"},
    ]
    loaded = load_tasks(written(tmp_path / "rows.jsonl", *rows))
    assert [str(t.key) for t in loaded.tasks] == ["1-7"]
    assert [p.row for p in loaded.problems] == [2, 3, 4, 5, 6]
    for problem, word in zip(loaded.problems, ("'arguments'", "JSON", "github_id", "'type'", "`$.id`"), strict=True):
        assert word in problem.message


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("prefix_code", 5), ("commit", 7), ("id", True), ("id", 10**30),
    ],
)  # fmt: skip
def test_a_field_of_another_type_costs_its_own_row_only(field: str, value: Any, tmp_path: Path) -> None:
    loaded = load_tasks(written(tmp_path / "rows.jsonl", {**ROW, field: value}, {**ROW, "id": 8}))
    assert [str(t.key) for t in loaded.tasks] == ["1-8"]
    ((row, message),) = [(p.row, p.message) for p in loaded.problems]
    assert row == 1 and f"`$.{field}" in message


def test_a_line_that_is_no_row_is_told_by_its_place(tmp_path: Path) -> None:
    good = [json.dumps({**ROW, "id": number}).encode() for number in (1, 2)]
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"\n".join([b"\xef\xbb\xbf" + good[0], b"", b"not json", b"[1]", b'{"a": "\xe4"}', good[1]]))
    loaded = load_tasks(str(file))
    assert [str(t.key) for t in loaded.tasks] == ["1-1", "1-2"], "the mark at the beginning costs no row"
    assert [(p.row, p.key) for p in loaded.problems] == [(2, f"{file}:3"), (3, f"{file}:4"), (4, f"{file}:5")]
    for problem, word in zip(loaded.problems, ("not JSON", "type list", "not UTF-8"), strict=True):
        assert word in problem.message


@pytest.mark.parametrize("text", ["[1, 2]", "open('x')", "{'a': b}", "", "((((" * 50])
def test_arguments_that_are_no_dict(text: str) -> None:
    with pytest.raises(ValueError, match="arguments"):
        parse_arguments(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for source in (
        str(tmp_path / "none.jsonl"),
        written(tmp_path / "empty.jsonl"),
        "super-dainiu/ml-bench:nosuchsplit",
    ):
        with pytest.raises(BenchError):
            load_tasks(source)


def test_what_is_visible() -> None:
    task = task_of(ROW)
    assert visible(task, "agent") == Visible(
        instruction=ROW["instruction"], github=ROW["github"], path="examples/x", prefix_code="cd x"  # type: ignore[arg-type]
    )  # fmt: skip
    assert visible(task, "repo").path == ""
    assert set(Visible.__struct_fields__) == {"instruction", "github", "path", "prefix_code"}


def test_the_rows_that_come_along() -> None:
    tasks = load_tasks("wild").tasks
    assert (len(tasks), len({t.repository for t in tasks})) == (108, 18)
    assert all(len(t.commit) == 40 for t in tasks)
