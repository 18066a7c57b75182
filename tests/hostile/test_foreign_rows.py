"""Rows of others and what lies beside them: they name no file of this machine, and nothing is written outside."""

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from ml_agent.benchmarks.data import load_tasks
from ml_agent.benchmarks.form_a.delivery import with_inputs
from tests.hostile.conftest import Canaries
from tests.servers.git_folders import write_files

HELD_BY = "benchmarks.data, benchmarks.form_a.delivery"
ROW = {
    "github_id": 1, "id": 1, "github": "https://github.com/a/fitting", "path": "./examples", "instruction": "fit",
    "type": "Bash Script", "output": "python fit.py", "arguments": {}, "inputs": "inputs", "judge": "judge.py",
}  # fmt: skip


def test_rows_of_a_parquet_file_name_nothing_that_does_not_stand_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, canaries: Canaries
) -> None:
    """Arrow reads the file; which rows it finds there is what counts here."""
    rows = [{**ROW, "inputs": str(canaries.home), "judge": str(canaries.file)}]
    arrow, parquet = ModuleType("pyarrow"), ModuleType("pyarrow.parquet")
    arrow.parquet = parquet  # type: ignore[attr-defined]
    parquet.read_table = lambda _: SimpleNamespace(to_pylist=lambda: rows)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyarrow", arrow)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", parquet)
    write_files(tmp_path / "rows", {"rows.parquet": "PAR1"})
    (task,) = load_tasks(str(tmp_path / "rows/rows.parquet")).tasks
    assert (task.inputs, task.judge) == ("", "")


def test_inputs_bring_no_file_of_this_machine_along_and_lay_none_outside(tmp_path: Path, canaries: Canaries) -> None:
    root, rows = tmp_path / "repos/fitting", tmp_path / "rows"
    write_files(root, {"fit.py": ""})
    write_files(rows, {"rows.jsonl": json.dumps(ROW) + "\n", "inputs/x.csv": "1", "judge.py": ""})
    (rows / "inputs/key").symlink_to(canaries.home / ".ssh/id_rsa")
    (task,) = load_tasks(str(rows / "rows.jsonl")).tasks
    (root / "examples").mkdir()
    with with_inputs(task, root) as place:
        assert sorted(path.name for path in (place / "examples").iterdir()) == ["x.csv"]
        assert not canaries.leaked_into(place)
    (root / "examples").rmdir()
    (root / "examples").symlink_to(canaries.home)
    with pytest.raises(ValueError), with_inputs(task, root):
        pass
    assert not (canaries.home / "x.csv").exists()
