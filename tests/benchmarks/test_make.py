"""Rows made of a small repository: references that its parser takes, requests that say every value."""

import json
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ml_agent.benchmarks.data import load_tasks
from ml_agent.benchmarks.make import (
    MadeRows,
    RefusedCommand,
    RowSource,
    make,
    make_rows,
    other_value,
    reference,
    seeds,
    sources,
)
from ml_agent.benchmarks.same_call import same_call
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option

FILES = {
    "README.md": "# Kit\n\n```sh\npython train.py --data data/cora --lr 0.01 --config configs/small.yaml\n```\n",
    "configs/small.yaml": "a: 1\n",
    "configs/large.yaml": "a: 2\n",
    "train.py": """
import argparse
import torch

parser = argparse.ArgumentParser(description="Train a graph network on citations.")
parser.add_argument("--data", required=True, help="path to the dataset")
parser.add_argument("--config", help="configuration to start from")
parser.add_argument("--lr", type=float, default=0.1, help="initial learning rate")
parser.add_argument("--hidden", type=int, default=16, help="size of the hidden layer")
parser.add_argument("--epochs", type=int, default=100, help="number of epochs to train (default: 100)")
parser.add_argument("--opt", choices=["adam", "sgd"], default="adam", help="which optimizer to use")
parser.add_argument("--amp", action="store_true", help="use mixed precision")
parser.add_argument("--local_rank", type=int, default=0)
args = parser.parse_args()
torch.train(args)
""",
    "tune.py": """
import argparse

parser = argparse.ArgumentParser(description="Tune a graph network.")
parser.add_argument("--data", help="path to the dataset")
parser.add_argument("--lr", type=float, default=0.1, help="initial learning rate")
parser.add_argument("--trials", type=int, default=10, help="number of trials")
args = parser.parse_args()
""",
}


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repositories") / "kit"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def source(kit: Path) -> RowSource:
    return RowSource(root=kit, name="kit", github="https://github.com/some/kit", commit="", github_id=1000)


def test_rows_are_drawn_written_and_kept(kit: Path, tmp_path: Path) -> None:
    said: list[str] = []
    (one,) = make([source(kit)], tmp_path / "cache", 6, said.append)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in one.rows))
    loaded = load_tasks(str(tmp_path / "rows.jsonl"))
    assert (len(loaded.tasks), loaded.problems, said) == (6, (), ["kit: 6 rows"])
    for task in loaded.tasks:
        assert same_call(task, task.output, kit).passed
        assert "local_rank" not in task.output
    assert all(str(v) in r["output"] and str(v) in r["instruction"] for r in one.rows for v in r["arguments"].values())
    assert list(make([source(kit)], tmp_path / "cache", 6, said.append)) == [one]


def test_what_the_parser_refuses_is_no_reference(kit: Path) -> None:
    signature = next(s.signature for s in seeds(RepoIndex.open(kit, "1")) if s.signature.path == "train.py")
    good = {"data": "/data/x", "opt": "sgd"}
    assert reference(signature, good, ".", kit) == "python train.py --data /data/x --opt sgd"
    for refused in ({"opt": "sgd"}, {**good, "opt": "rmsprop"}):
        with pytest.raises(RefusedCommand):
            reference(signature, refused, ".", kit)


def made(root: Path, shown: str, script: str = FILES["train.py"]) -> MadeRows:
    """The rows of a script for whose call a document has one command."""
    (root / "train.py").write_text(script)
    (root / "README.md").write_text(f"# Kit\n\n```sh\n{shown}\n```\n")
    return make_rows(source(root), RepoIndex.open(root, "1"), 4)


@pytest.mark.parametrize(
    "shown",
    [
        "torchrun --nproc_per_node 2 train.py --data x --lr 0.2",
        "python train.py --data x --help",
        "python train.py --data x < words.txt",
        'python train.py --data "$@"',
        "python train.py --data /path/to/x",
    ],
)
def test_a_command_that_does_not_say_all_makes_no_row(shown: str, tmp_path: Path) -> None:
    assert not made(tmp_path, shown).rows


@pytest.mark.parametrize(
    ("option", "value", "good"),
    [
        ({"type": "int"}, "64", (6, 32, 128, 320)),
        ({"type": "int"}, 1, (2, 5)),
        ({"type": "float", "default": "0.5"}, "0.5", (0.05, 0.25)),
        ({"type": "float"}, None, (None,)),
        ({"choices": ("a", "b")}, "a", ("b",)),
        ({"nargs": "0", "switch_value": "True", "type": "bool"}, None, (True,)),
        ({"nargs": "0", "switch_value": "True", "type": "bool", "default": "True"}, None, (None,)),
        ({"nargs": "+", "type": "int"}, [1, 2], (None,)),
    ],
)
def test_values_by_type(option: dict[str, Any], value: Any, good: tuple[Any, ...]) -> None:
    varied = Option(**{"dest": "x", "flags": ("--x",), **option})
    assert all(other_value(varied, value, Random(seed)) in good for seed in range(8))


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://github.com/some/kit.git", "https://github.com/some/kit"),
        ("https://me:secret@github.com/some/kit", "https://github.com/some/kit"),
        ("git@github.com:some/kit.git", "https://github.com/some/kit"),
        ("", "https://github.com/local/clone"),
    ],
)
def test_a_clone_says_where_it_is_from_and_no_program_is_asked(
    address: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "clone"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    if address:
        subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", address], check=True)
    subprocess.run(["git", "-C", str(folder), "remote", "add", "other", "https://github.com/an/other"], check=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GIT_PYTHON_REFRESH", "quiet")
    (source,) = sources([str(folder)])
    assert source.github == expected
