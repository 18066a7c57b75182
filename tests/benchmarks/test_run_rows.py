"""Rows that are run for real: what is recorded of them, and that nothing is run twice."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROWS = {
    1: ("Print the shape for 3 rows.", "python shape.py --rows 3"),
    2: ("Print the shape for 5 rows, with a crash.", "python crash.py --rows 5"),
}
SHAPE = (
    "import argparse\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--rows", type=int, default=1, help="number of rows")\n'
    "args = parser.parse_args()\n"
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    repository = tmp_path / "repos/shapes"
    repository.mkdir(parents=True)
    (repository / "shape.py").write_text(SHAPE + 'print("torch.Size([%d, 512])" % args.rows)\n')
    (repository / "crash.py").write_text(SHAPE + "raise ValueError('broken on purpose')\n")
    blocks = "".join(f"## {text}\n\n```bash\n{command}\n```\n\n" for text, command in ROWS.values())
    (repository / "README.md").write_text(f"# Shapes\n\n{blocks}")
    rows = [
        {
            "github_id": 1, "github": "https://github.com/someone/Shapes", "repo_id": 1, "id": number, "path": "./",
            "arguments": str({"rows": str(number * 2 + 1)}), "instruction": text, "oracle": "", "type": "Bash Script",
            "prefix_code": "", "output": command,
        }
        for number, (text, command) in ROWS.items()
    ]  # fmt: skip
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def run_rows(place: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "ml_agent.benchmarks.run_rows", "--tasks", str(place / "rows.jsonl")]
    command += ["--repos", str(place / "repos"), "--out", str(place / "ran.jsonl"), *arguments]
    command += ["--", "--sandbox", "local", "--unisolated", "--network", "none", "--run", "full", "--max-attempts", "1"]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env={**os.environ, "COLUMNS": "200"}
    )


def recorded(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (place / "ran.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_rows_are_run_recorded_and_not_run_again(place: Path) -> None:
    done = run_rows(place, "--repo", "Shapes")
    assert done.returncode == 1, done.stderr
    good, bad = recorded(place)
    assert (good["key"], good["evidence"], good["ending"]) == ("1-1", "delivered", "delivered")
    assert (good["shape"], good["last_line"], good["drafts"]) == ("torch.Size([3, 512])", "torch.Size([3, 512])", 1)
    assert not good.get("lost")
    assert (bad["key"], bad["evidence"]) == ("1-2", "checked")
    assert "broken on purpose" in bad["last_line"] and bad["diagnosis"]
    assert "1 delivered, 1 checked; 1 with a shape" in done.stdout
    again = run_rows(place)
    assert recorded(place) == [good, bad] and "1 with a shape" in again.stdout


def test_a_row_that_crashed_is_run_again(place: Path) -> None:
    crashed = {"key": "1-1", "repository": "shapes", "ending": "crashed"}
    (place / "ran.jsonl").write_text(json.dumps(crashed) + "\n")
    assert run_rows(place, "--key", "1-1").returncode == 0
    assert [row["ending"] for row in recorded(place)] == ["crashed", "delivered"]


def test_a_row_that_takes_too_long_is_stopped(place: Path) -> None:
    (place / "repos/shapes/shape.py").write_text(SHAPE + 'import time\ntime.sleep(900)\nprint("late")\n')
    run_rows(place, "--key", "1-1", "--limit", "3")
    (row,) = recorded(place)
    assert row["ending"] == "too-long" and row["evidence"] not in ("completed", "delivered"), row
    assert "late" not in row["last_line"] and row["seconds"] < 300


def test_a_repository_that_is_not_there(place: Path) -> None:
    (place / "repos/shapes").rename(place / "repos/elsewhere")
    assert run_rows(place, "--key", "1-1").returncode == 1
    assert [row["ending"] for row in recorded(place)] == ["no-folder"]
