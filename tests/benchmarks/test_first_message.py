"""What of a reference the first message of a conversation holds."""

from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.data import task_of
from ml_agent.benchmarks.first_message import measure, report

TRAIN = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=10, help="passes over the data")
parser.add_argument("--lr", type=float, default=0.1)
parser.parse_args()
"""


def row(**other: Any) -> dict[str, Any]:
    """A row about the repository "nets"."""
    return {
        "github_id": 1, "id": 2, "github": "https://github.com/me/nets", "path": "./", "arguments": {},
        "type": "Bash Script", "instruction": "train for 3 epochs", "output": "python train.py --epochs 3 --nodes 4", **other,
    }  # fmt: skip


def test_names_of_the_reference_are_looked_for_in_the_message(tmp_path: Path) -> None:
    root = tmp_path / "nets"
    root.mkdir()
    (root / "train.py").write_text(TRAIN)
    opening = measure(task_of(row()), tmp_path)
    assert opening.names == ("train.py", "epochs", "nodes") and opening.missing == ("nodes",)
    assert 200 < opening.tokens < 500


def test_a_reference_that_no_parser_reads_is_counted_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "nets"
    root.mkdir()
    (root / "train.py").write_text(TRAIN)
    old = measure(task_of(row(type="Python Code", output="print 'an older Python'")), tmp_path)
    report([old, measure(task_of(row()), tmp_path)])
    told = capsys.readouterr().out
    assert not old.read and "python 1 references not read" in told and "all    1 rows" in told
