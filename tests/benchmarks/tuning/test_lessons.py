"""What a small model is taught: requests with the arguments that are right."""

import json
from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.tuning.__main__ import main
from ml_agent.benchmarks.tuning.lessons import Lesson, by_repository, lessons

SCRIPT = """import argparse
p = argparse.ArgumentParser(description="Teach a duck.")
p.add_argument("pond", help="where it swims")
p.add_argument("--epochs", type=int, default=5, help="number of epochs")
p.add_argument("--layers", type=int, nargs="+")
p.add_argument("--quiet", action="store_true")
p.add_argument("--feathers", action="store_false", dest="bare")
p.parse_args()
"""
ROW = {"github": "someone/pond", "path": ".", "type": "Bash Script"}


def marked(text: str) -> dict[str, Any]:
    return {"github": "someone/pond", "entry": "train.py", "subcommand": [], "name": "", "text": text}


def taught(tmp_path: Path, *rows: dict[str, Any]) -> list[Lesson]:
    root = tmp_path / "pond"
    root.mkdir(exist_ok=True)
    (root / "train.py").write_text(SCRIPT)
    return list(lessons(root, rows, tmp_path / "cache"))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("For {{20|--epochs}} rounds, {{silently|--quiet=True}}", "--epochs 20 --quiet"),
        ("{{twenty|--epochs=20}} rounds in {{/srv/lake|pond}}", "/srv/lake --epochs 20"),
        ("layers of {{8, 4 and 2|--layers}}", "--layers 8 4 2"),
        ("layers of {{8|--layers}}, then {{4|--layers}}, in {{my lake|pond}}", "'my lake' --layers 8 4"),
    ],
)
def test_marks_become_arguments_in_the_order_that_the_program_takes(tmp_path: Path, text: str, answer: str) -> None:
    (lesson,) = taught(tmp_path, marked(text))
    (request,) = lesson.requests
    assert request.answer == answer
    assert "{{" not in request.question and request.question.startswith("Request: ")
    assert lesson.head.startswith("Command: train.py\nPOND") or "pond" in lesson.head


def test_rows_with_a_reference_teach_as_well(tmp_path: Path) -> None:
    row = ROW | {"instruction": "Teach it for three rounds in lake", "output": "python train.py --epochs 3 lake"}
    (lesson,) = taught(tmp_path, row, marked("{{9|--epochs}} rounds"))
    assert [one.answer for one in lesson.requests] == ["--epochs 3 lake", "--epochs 9"]
    assert "Numbers: three = 3" in lesson.requests[0].question


@pytest.mark.parametrize("text", ["{{20|--rounds}}", "no marks at all"])
def test_what_names_no_option_teaches_nothing(tmp_path: Path, text: str) -> None:
    assert taught(tmp_path, marked(text)) == []


def test_relatives_of_development_repositories_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [marked("{{9|--epochs}}"), marked("{{9|--epochs}}") | {"github": "someone/patchtst"}]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert list(by_repository([file])) == ["pond"]


def test_the_command_writes_one_lesson_a_line(tmp_path: Path) -> None:
    (tmp_path / "repositories" / "pond").mkdir(parents=True)
    (tmp_path / "repositories" / "pond" / "train.py").write_text(SCRIPT)
    (tmp_path / "rows.jsonl").write_text(json.dumps(marked("{{9|--epochs}} rounds")) + "\n")
    out = tmp_path / "lessons.jsonl"
    arguments = ["lessons", "--repositories", str(tmp_path / "repositories"), "--rows", str(tmp_path / "rows.jsonl")]
    assert main([*arguments, "--cache", str(tmp_path / "cache"), "--jobs", "1", "--out", str(out)]) == 0
    (line,) = out.read_text().splitlines()
    assert json.loads(line)["requests"] == [{"question": "Request: 9 rounds", "answer": "--epochs 9"}]


def test_options_are_shown_once_for_some_requests_of_a_program(tmp_path: Path) -> None:
    several = taught(tmp_path, *(marked(f"{{{{{number}|--epochs}}}} rounds") for number in range(8)))
    assert [len(one.requests) for one in several] == [4, 4]


def test_choosing_among_programs_is_taught_as_well(tmp_path: Path) -> None:
    root = tmp_path / "pond"
    root.mkdir()
    (root / "feed.py").write_text(SCRIPT.replace("Teach", "Feed").replace("epochs", "loaves"))
    fill, choose = taught(tmp_path, marked("Teach it in {{9|--epochs}} epochs"))
    assert fill.kind == "fill" and fill.name == choose.name == "train.py"
    assert choose.kind == "choose" and choose.head == ""
    (asked,) = choose.requests
    (right,) = (line for line in asked.question.splitlines() if line.startswith(f"{asked.answer}. "))
    assert "train.py" in right and "feed.py" in asked.question
