"""Rows made of a small repository: references that its parser takes, requests that say every value."""

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.benchmarks.data import load_tasks
from ml_agent.benchmarks.make.harmless import needs_another
from ml_agent.benchmarks.make.phrases import deed, help_noun, name_words
from ml_agent.benchmarks.make.reference import RefusedCommand, reference
from ml_agent.benchmarks.make.rows import RowSource, make_rows
from ml_agent.benchmarks.make.run import Order, make
from ml_agent.benchmarks.make.seeds import plain, seeds, with_the_same_options
from ml_agent.benchmarks.make.sources import sources
from ml_agent.benchmarks.make.vary import RequestedOption, ValueMaker
from ml_agent.benchmarks.make.wording import in_words
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
    order = Order(sources=(source(kit),), out=tmp_path / "rows.jsonl", cache=tmp_path / "cache", rows=6)
    said: list[str] = []
    report = make(order, said.append)
    loaded = load_tasks(str(order.out))
    assert (report.rows, len(loaded.tasks), loaded.problems, said) == (6, 6, (), ["kit: 6 rows"])
    assert len(report.styles) >= 4 and report.frameworks == {"argparse": 6}
    for task in loaded.tasks:
        assert same_call(task, task.output, kit).passed
        assert "local_rank" not in task.output
    rows = [json.loads(line) for line in order.out.read_text().splitlines()]
    assert {r["split"] for r in rows} == {rows[0]["split"]}
    assert all(str(v) in r["output"] for r in rows for v in r["arguments"].values())
    assert make(order, said.append) == report and len(said) == 1


def test_folders_of_one_name_keep_all_rows(kit: Path, tmp_path: Path) -> None:
    for owner in ("a", "b"):
        shutil.copytree(kit, tmp_path / owner / "kit")
    out = tmp_path / "rows.jsonl"
    order = Order(
        sources=sources([str(tmp_path / "a/kit"), str(tmp_path / "b/kit")]), out=out, cache=tmp_path / "cache", rows=3
    )
    said: list[str] = []
    assert make(order, said.append).rows == 6
    assert (
        said[0]
        == f"{tmp_path / 'b/kit'} is called b-kit in the rows: let it stand under that name in the --repos folder"
    )
    tasks = load_tasks(str(out)).tasks
    assert len({(t.github_id, t.id) for t in tasks}) == 6
    assert [t.repository for t in tasks] == ["kit"] * 3 + ["b-kit"] * 3


def test_a_changed_folder_gets_new_rows(kit: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(kit, tmp_path / "kit")
    order = Order(sources=(source(copy),), out=tmp_path / "rows.jsonl", cache=tmp_path / "cache", rows=3)
    said: list[str] = []
    make(order, said.append)
    (copy / "train.py").write_text((copy / "train.py").read_text().replace("--data", "--graphs"))
    (copy / "tune.py").unlink()
    make(order, said.append)
    assert len(said) == 2 and "--data" not in order.out.read_text()


@pytest.mark.parametrize(
    ("text", "chosen", "alone"),
    [
        ("share of noise, requires --noise", ["data"], True),
        ("share of noise, requires --noise", ["noise"], False),
        ("only used with --use-cache", ["use_cache"], False),
        ("Only with adam: its beta", ["lr"], True),
        ("warmup steps (has no effect without --scheduler)", ["lr"], True),
        ("the learning rate used in training", ["lr"], False),
    ],
)
def test_an_option_that_needs_another_is_not_asked_for_alone(text: str, chosen: list[str], alone: bool) -> None:
    assert needs_another(Option(dest="x", flags=("--x",), help=text), chosen) is alone


def test_the_same_seed_gives_the_same_rows(kit: Path) -> None:
    index = RepoIndex.open(kit, "1")
    first, again, other = (make_rows(source(kit), index, 3, seed).rows for seed in (1, 1, 2))
    assert first == again != other


def test_what_the_parser_refuses_is_no_reference(kit: Path) -> None:
    signature = next(s.signature for s in seeds(RepoIndex.open(kit, "1")) if s.signature.path == "train.py")
    options = {o.dest: o for o in signature.options}
    data = RequestedOption(option=options["data"], value="/data/x", documented=True)
    good = RequestedOption(option=options["opt"], value="sgd", documented=False)
    assert reference(signature, [data, good], ".", kit) == "python train.py --data /data/x --opt sgd"
    for wishes in ([good], [data, msgspec.structs.replace(good, value="rmsprop")]):
        with pytest.raises(RefusedCommand):
            reference(signature, wishes, ".", kit)


def test_entry_points_that_share_the_options_are_named(kit: Path) -> None:
    index = RepoIndex.open(kit, "1")
    found = {s.signature.path: s.signature for s in seeds(index)}
    assert [s.path for s in with_the_same_options(found["train.py"], ["data", "lr"], list(found.values()))] == [
        "tune.py"
    ]
    assert not with_the_same_options(found["train.py"], ["data", "epochs"], list(found.values()))
    for row in make_rows(source(kit), index, 12, 5).rows:
        shared = not set(row["arguments"]) & {"hidden", "epochs", "opt", "amp", "config", "trials"}
        assert not shared or row["output"].split()[1] in row["instruction"], row


@pytest.mark.parametrize(
    ("option", "shown", "good"),
    [
        ({"type": "int", "default": "64"}, None, (128, 32, 256)),
        ({"type": "float", "default": "0.5", "help": "dropout"}, None, (0.05, 0.25)),
        ({"choices": ("a", "b"), "default": "a"}, None, ("b",)),
        ({"nargs": "0", "switch_value": "True", "type": "bool"}, None, (True,)),
        ({"nargs": "0", "switch_value": "True", "type": "bool", "default": "True"}, None, (None,)),
        ({"type": "int", "default": "inf"}, None, (None,)),
        ({"type": "float", "default": "inf"}, None, (None,)),
        ({"type": "float", "default": "0.99"}, None, (0.9, 0.95, 0.98)),
        ({"dest": "config"}, "configs/small.yaml", (None,)),
        ({"dest": "model_name"}, "bert-base", ("bert-base",)),
        ({"dest": "mode"}, None, (None,)),
        ({"type": "bool", "converter": "bool", "default": "False"}, None, (None,)),
    ],
)
def test_values_by_type(option: dict[str, Any], shown: Any, good: tuple[Any, ...]) -> None:
    made = Option(**{"dest": "x", "flags": ("--x",), **option})
    for seed in range(8):
        wish = ValueMaker(tuple(FILES), Random(seed)).wish(made, shown)
        assert (None if wish is None else wish.value) in good


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("number of epochs to train (default: 100)", "number of epochs to train"),
        ("Specify the path to the dataset.", "path to the dataset"),
        ("The initial learning rate, see the paper", "initial learning rate"),
        ("temperature to increase when falling back", ""),
        ("output directory where the model checkpoints will be written", ""),
        ("the folder of\n   the images", "folder of the images"),
        ("how often to save a snapshot", ""),
        ('--cache images in "ram" (default) or "disk"', ""),
        ('images in "ram" or so', ""),
        ("# of input channels", "number of input channels"),
        ("chooses how datasets are loaded", ""),
        ("scale images to this size", ""),
        ("path where to save", ""),
        ("use mixed precision", ""),
        ("lr", ""),
        ("${oc.env:HOME} of it", ""),
    ],
)
def test_things_by_their_help(text: str, noun: str) -> None:
    assert help_noun(Option(dest="x", help=text)) == noun


def test_deeds_and_names() -> None:
    assert deed(Option(dest="x", help="Whether to use mixed precision")) == "use mixed precision"
    assert deed(Option(dest="x", help="mixed precision")) == ""
    assert deed(Option(dest="x", help="save results to *.txt")) == ""
    assert name_words(Option(dest="num_workers")) == "number of workers"


def test_an_option_of_a_section_is_spelled() -> None:
    rounds = Option(dest="eval.max_iters", help="number of rounds")
    assert name_words(rounds) == "eval.max_iters" and not help_noun(rounds)


def test_a_word_for_a_path_of_the_readers_is_a_placeholder() -> None:
    assert plain({"model": "hf", "args": "pretrained=model-name-or-path"}) == {"model": "hf"}


@given(st.integers(0, 999))
def test_numbers_in_words_are_all_different(number: int) -> None:
    said = in_words(number)
    assert said and said == said.strip() and not any(c.isdigit() for c in said)
    assert all(in_words(other) != said for other in (number + 1, number + 10, number + 100) if other < 1000)


def test_places_of_one_command_are_different() -> None:
    varied, weights = ValueMaker((), Random(0)), Option(dest="weights", flags=("--weights",), nargs="+")
    for _ in range(20):
        varied.fresh()
        kept = varied.kept(weights, ["runs/a.pt", "runs/b.pt", "runs/c.pt"])
        assert len({*kept, varied.place(weights, "runs/d.pt")}) == 4
