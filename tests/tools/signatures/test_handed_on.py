"""Shell scripts whose words are those of a program."""

from pathlib import Path

import pytest

from ml_agent.tools.commandline.render import render_command
from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Signature

TRAIN = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--launcher", default="none")
args = parser.parse_args()
"""


def read(folder: Path, **files: str) -> Signature:
    """The signature of run.sh in `tools`, beside train.py."""
    for name, text in {"train.py": TRAIN, **{name.replace("__", "."): text for name, text in files.items()}}.items():
        (folder / "tools").mkdir(exist_ok=True)
        (folder / "tools" / name).write_text(text)
    (found,) = RepoIndex(folder, "1").signatures["tools/run.sh"]
    return found


def names(signature: Signature) -> list[str]:
    return [one.dest for one in signature.options]


def test_a_launching_script_takes_what_its_program_takes(tmp_path: Path) -> None:
    signature = read(tmp_path, run__sh='N=$1\nshift\ntorchrun --nproc_per_node=$N train.py "$@"\n')
    assert names(signature) == ["N", "data", "lr", "launcher"]
    call = {"N": "4", "data": "/in1k", "lr": "0.5"}
    assert render_command(signature, call) == "bash tools/run.sh 4 /in1k --lr 0.5"
    parsed = parse_call(signature, ["4", "/in1k", "--lr", "0.5", "--lrr", "1"])
    assert parsed.values == {"N": "4", "data": "/in1k", "lr": 0.5}
    assert [one.subject for one in parsed.findings] == ["--lrr"]


@pytest.mark.parametrize("text", ["python train.py $1\n", 'python other.py "$@"\n', 'echo train.py "$@"\n'])
def test_other_scripts_stay_as_they_are(tmp_path: Path, text: str) -> None:
    assert "lr" not in names(read(tmp_path, run__sh=text))
