"""papermill: notebooks and their parameters."""

import json
from pathlib import Path

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.check.notebooks import notebook_parameters
from ml_agent.tools.index import RepoIndex

CELLS = [
    {"cell_type": "markdown", "metadata": {}, "source": ["# Report"]},
    {
        "cell_type": "code",
        "metadata": {"tags": ["parameters"]},
        "source": ["alpha: float = 0.6\n", "name = 'x'\n", "a == 1"],
    },
    {"cell_type": "code", "metadata": {}, "source": "other = 1"},
]


@pytest.fixture
def index(tmp_path: Path) -> RepoIndex:
    (tmp_path / "nb").mkdir()
    (tmp_path / "nb" / "report.ipynb").write_text(json.dumps({"cells": CELLS, "nbformat": 4}))
    (tmp_path / "nb" / "free.ipynb").write_text(json.dumps({"cells": CELLS[2:], "nbformat": 4}))
    return RepoIndex.open(tmp_path, "v")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("nb/report.ipynb out.ipynb -p alpha 0.5 --parameters name y", []),
        ("-k python3 nb/report.ipynb out.ipynb -r alpha 0.5 --log-output", []),
        ("nb/report.ipynb out.ipynb -p alpa 0.5", [("unknown-option", "warning", "alpha")]),
        ("nb/reprot.ipynb out.ipynb", [("no-such-file", "error", "nb/report.ipynb")]),
        ("nb/free.ipynb out.ipynb -p anything 1", []),
        ("s3://bucket/in.ipynb out.ipynb", []),
        ("$NOTEBOOK out.ipynb", []),
    ],
)
def test_papermill(index: RepoIndex, words: str, found: list[tuple[str, str, str]]) -> None:
    findings = check_command(f"papermill {words}", index)
    assert [(f.code, f.severity, f.suggestion) for f in findings] == found


def test_parameters() -> None:
    assert notebook_parameters(json.dumps({"cells": CELLS})) == frozenset({"alpha", "name"})
    assert notebook_parameters("no notebook") is None and notebook_parameters("[]") is None
