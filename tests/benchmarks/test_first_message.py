"""What of a reference the first message of a conversation holds."""

from pathlib import Path

from benchmarks.data import task_of
from benchmarks.first_message import measure

TRAIN = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=10, help="passes over the data")
parser.add_argument("--lr", type=float, default=0.1)
parser.parse_args()
"""


def test_names_of_the_reference_are_looked_for_in_the_message(tmp_path: Path) -> None:
    root = tmp_path / "nets"
    root.mkdir()
    (root / "train.py").write_text(TRAIN)
    row = {
        "github_id": 1, "id": 2, "github": "https://github.com/me/nets", "path": "./", "arguments": {}, "oracle": "",
        "type": "Bash Script", "instruction": "train for 3 epochs", "output": "python train.py --epochs 3 --nodes 4",
    }  # fmt: skip
    opening = measure(task_of(row), tmp_path)
    assert opening.names == ("train.py", "epochs", "nodes") and opening.missing == ("nodes",)
    assert 200 < opening.tokens < 500
