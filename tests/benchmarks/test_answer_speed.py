"""The measure of warm answers."""

import json
from pathlib import Path

import pytest

from ml_agent.benchmarks import answer_speed
from ml_agent.grounded.navigator import REMEMBERED

SCRIPT = """
import argparse
p = argparse.ArgumentParser(description="Train a tagger")
p.add_argument("--epochs", type=int, default=10, help="number of epochs")
p.parse_args()
"""


@pytest.mark.parametrize(("rows", "said"), [(REMEMBERED + 1, f"{REMEMBERED + 1} rows, median"), (1, "no rows")])
def test_only_rows_that_were_forgotten_are_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: int, said: str) -> None:  # fmt: skip
    (tmp_path / "repos" / "one").mkdir(parents=True)
    (tmp_path / "repos" / "one" / "train.py").write_text(SCRIPT)
    data = [
        {"github_id": 1, "id": at, "github": "https://github.com/some/one", "path": "./", "instruction": f"Train for {at + 3} epochs", "type": "Bash Script", "output": "python train.py", "arguments": {}}
        for at in range(rows)
    ]  # fmt: skip
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in data))
    assert answer_speed.main(["--tasks", str(tmp_path / "rows.jsonl"), "--repos", str(tmp_path / "repos")]) == 0
    assert said in capsys.readouterr().out
