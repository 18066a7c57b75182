"""Placeholders that stand in for required values which nobody gives."""

from pathlib import Path

from tests.command import ml_agent

TRAIN = """import argparse
parser = argparse.ArgumentParser(description="Train a tagger")
parser.add_argument("corpus", help="which corpus")
parser.add_argument("--epochs", type=int, default=3)
print(parser.parse_args())
"""
CONFIGURED = """import configargparse
parser = configargparse.ArgParser()
parser.add_argument("--config", is_config_file=True)
parser.add_argument("--width", type=int, required=True)
parser.add_argument("--lr", type=float, default=0.1)
parser.parse_args()
"""


def asked(folder: Path, words: str) -> tuple[str, str]:
    more = ("--repo", str(folder), "--run", "none", "--navigator", "offline", "--out", str(folder / "out"), "-q")
    done = ml_agent("solve", words, *more)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_a_placeholder_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    answer, said = asked(tmp_path, "train the tagger for 5 epochs")
    assert answer == "python train.py corpus --epochs 5\n" and "fill in: corpus" in said


def test_what_a_configuration_may_hold_gets_no_placeholder(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(CONFIGURED)
    (tmp_path / "small.yaml").write_text("width: 3\n")
    (tmp_path / "README.md").write_text("# Tagger\n\n```bash\npython train.py --config small.yaml\n```\n")
    answer, said = asked(tmp_path, "train with --config small.yaml and --lr 0.2")
    assert answer == "python train.py --config small.yaml --lr 0.2\n" and "fill in" not in said
