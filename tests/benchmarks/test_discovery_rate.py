import json
import subprocess
import sys
from pathlib import Path

import pytest

from ml_agent.benchmarks.discovery import Task, in_catalog, measure, read_tasks, render

TASKS = [
    Task("https://github.com/Lab/Graphs", "train a GCN on Cora"),
    Task("https://github.com/Lab/Graphs", "train GAT on Citeseer"),
    Task("https://github.com/lab/speech", "transcribe talk.wav"),
    Task("https://github.com/lab/void", "do something"),
]
CATALOG = [
    {"full_name": "Lab/Graphs", "description": "Graph neural networks"},
    {"full_name": "lab/speech", "description": "Speech recognition"},
    {"full_name": "lab/void"},
]


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    path = tmp_path / "catalog.jsonl"
    path.write_text("\n".join(map(json.dumps, CATALOG)))
    return path


def test_every_repository_counts_the_same(catalog: Path) -> None:
    measured = measure(TASKS, in_catalog(catalog), 1)
    assert measured.rate == 0.75
    assert measured.macro == measured.first == pytest.approx(2 / 3)
    assert measured.repositories == {"lab/graphs": 1.0, "lab/speech": 1.0, "lab/void": 0.0}
    assert [miss.repository for miss in measured.misses] == ["lab/void"]
    assert measured.shuffled == 0.0


def test_a_list_that_does_not_look_at_the_instruction_is_shown_as_such() -> None:
    measured = measure(TASKS, lambda _: ["lab/graphs", "lab/speech"], 2)
    assert measured.macro == measured.shuffled == measured.constant == pytest.approx(2 / 3)


def test_only_the_first_places_count() -> None:
    assert measure(TASKS, lambda _: ["x/y", "lab/graphs"], 1).macro == 0.0
    assert measure(TASKS, lambda _: ["x/y", "lab/graphs"], 2).macro == pytest.approx(1 / 3)


def test_nothing_to_measure_is_zero() -> None:
    assert measure([], lambda _: []).macro == 0.0


def test_only_instruction_and_link_of_a_row_are_read(tmp_path: Path) -> None:
    row = {"github": "https://github.com/a/b.git", "instruction": "x", "output": object.__name__, "id": 1}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    assert [(task.repository, task.instruction) for task in read_tasks([tmp_path / "rows.jsonl"])] == [("a/b", "x")]


def test_render_shows_rates_and_misses(catalog: Path) -> None:
    text = render(measure(TASKS, in_catalog(catalog, by_queries=True), 1))
    assert "macro average         66.7%" in text and "1 misses" in text and "'do something'" in text


def test_runs_from_the_command_line(catalog: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("\n".join(json.dumps({"github": task.github, "instruction": task.instruction}) for task in TASKS))
    command = [sys.executable, "-m", "ml_agent.benchmarks.discovery", str(catalog), str(rows), "--limit", "1", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=True)
    assert json.loads(result.stdout)["macro"] == pytest.approx(2 / 3)
