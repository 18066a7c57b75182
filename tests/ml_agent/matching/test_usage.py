"""What a program does with the path that an option gives it."""

import ast
from pathlib import Path

import pytest

from ml_agent.matching.entries import RepositoryFacts
from ml_agent.matching.slots import Slot
from ml_agent.matching.usage import OptionUsage, usages
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option


def usage(source: str, name: str = "x") -> OptionUsage:
    found: dict[str, OptionUsage] = {}
    usages(ast.parse(source), frozenset({name}), found)
    return found[name]


@pytest.mark.parametrize(
    ("source", "direction", "form"),
    [
        ("os.makedirs(args.x, exist_ok=True)", "output", "folder"),
        ("Path(args.x).mkdir()", "output", "folder"),
        ("torch.save(state, os.path.join(args.x, name))", "output", "folder"),
        ("open(args.x, 'w').write(t)", "output", "file"),
        ("open(args.x)", "input", "file"),
        ("torch.load(args.x)", "input", "file"),
        ("os.listdir(args.x)", "input", "folder"),
        ("imgs = sorted(glob.glob(os.path.join(args.x, '*')))", "input", "folder"),
        ("np.savetxt(f'{args.x}/a.txt', a)", "output", "file"),
        ("root = args.x\nos.makedirs(root)", "output", "folder"),
        ("open(os.path.join(out, args.x), 'w')", "", ""),
        ("run(args.x)", "", ""),
        ("print(args.x + 1)", "", ""),
        ("torch.load(args.x)\ntorch.save(state, args.x)", "", "file"),
        ("json.load(open(config['x']))", "input", "file"),
    ],
)
def test_it_is_read_or_written_and_a_file_or_a_folder(source: str, direction: str, form: str) -> None:
    found = usage(source)
    assert (found.direction, found.form) == (direction, form)


def test_a_variable_of_the_same_name_is_not_the_option_where_another_holds_the_options() -> None:
    source = "build(args.model, args.lr, args.seed)\nmodel = net()\ntorch.save(model, args.out)\n"
    names = frozenset({"model", "lr", "seed", "out"})
    found: dict[str, OptionUsage] = {}
    usages(ast.parse(source), names, found)
    assert found["model"].direction == ""
    assert usage("torch.save(model, out)", "model").direction == "output", (
        "options that are variables are looked at as such"
    )


def test_the_slots_of_an_entry_point_know_it(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import argparse, os\n"
        "p = argparse.ArgumentParser()\n"
        "p.add_argument('--checkpoint_path', default='cp')\n"
        "a = p.parse_args()\n"
        "os.makedirs(a.checkpoint_path)\n"
    )
    (entry,) = RepositoryFacts(RepoIndex.open(tmp_path, "one")).entries
    assert entry.slots[0].direction == "output"
    assert "output" in entry.slots[0].role


@pytest.mark.parametrize(
    ("source", "compared"),
    [
        ("if args.x == 'kitti':\n    pass\nelif args.x == 'sintel':\n    pass", ("kitti", "sintel")),
        ("if args.x.lower() in ('adam', 'sgd'):\n    pass", ("adam", "sgd")),
        ("if args.x == 3 or args.x < 'a':\n    pass", ()),
        ("if args.y == 'kitti':\n    run(args.x)", ()),
        ("kind = args.x\nif kind == 'merge':\n    pass", ("merge",)),
        ("kind = args.x.upper()\nassert kind not in ['CLI', 'JSON']", ("CLI", "JSON")),
        ("kind = read(args.x)\nif kind == 'merge':\n    pass", ()),
    ],
)
def test_the_words_that_the_source_compares(source: str, compared: tuple[str, ...]) -> None:
    assert usage(source).compared == compared


def test_a_word_that_the_source_compares_is_known_to_be_taken() -> None:
    found = Slot(Option(dest="dataset", flags=("--dataset",)), usage=usage("if args.x == 'kitti':\n    pass"))
    assert found.vocabulary == ("kitti",)
    assert not found.closed
