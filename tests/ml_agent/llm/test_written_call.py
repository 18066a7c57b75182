"""A command as a model wrote it is read by the signature, and is an opinion beside what was learned."""

from collections.abc import Mapping

import pytest

from ml_agent.llm.help_text import help_of
from ml_agent.llm.opinion import Told
from ml_agent.llm.written_call import Stated, stated
from ml_agent.matching.entries import EntryPoint, Facts
from ml_agent.matching.fill import fill
from ml_agent.matching.mentions import read
from ml_agent.matching.model import shipped
from ml_agent.navigator import Workspace
from tools.signatures.model import Option, Signature

OPTIONS = (
    Option(dest="source", help="folder of the pictures"),
    Option(dest="lr", flags=("--lr", "-l"), type="float", default="0.1", help="learning rate"),
    Option(dest="min_lr", flags=("--min_lr",), type="float", default="0", help="least learning rate"),
    Option(dest="classes", flags=("--classes",), nargs="+", type="int", help="only these classes"),
    Option(dest="optimizer", flags=("--optimizer",), choices=("sgd", "adam"), default="sgd", help="which optimizer"),
    Option(dest="amp", flags=("--amp",), nargs="0", switch_value="True", help="mixed precision"),
    Option(
        dest="log", flags=("--log",), negative_flags=("--no-log",), nargs="0", switch_value="True", help="write a log"
    ),
    Option(dest="name", flags=("--name",), help="name of the run"),
)


@pytest.fixture
def entry(workspace: Workspace) -> EntryPoint:
    signature = Signature(path="fit.py", framework="argparse", options=OPTIONS)
    return EntryPoint(signature, Facts(workspace.index))


def by_name(text: str, entry: EntryPoint) -> Mapping[str, Stated]:
    return {entry.slots[place].option.dest: given for place, given in stated(text, entry).items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("python fit.py data/a --lr 0.5 --amp", {"source": Stated(("data/a",)), "lr": Stated(("0.5",)), "amp": Stated(())}),
        ("fit.py --lr=0.5 --classes 1 2 --no-log", {"lr": Stated(("0.5",)), "classes": Stated(("1", "2")), "log": Stated((), False)}),
        ("python fit.py --learn 3 --optimiser adam", {"optimizer": Stated(("adam",)), "source": Stated(("3",))}),
        ("`python fit.py --MIN-LR -1e-3`", {"min_lr": Stated(("-1e-3",))}),
        ("```sh\npython fit.py \\\n  -l 3 --name 'a b'\n```\nDone.", {"lr": Stated(("3",)), "name": Stated(("a b",))}),
        ("CUDA_VISIBLE_DEVICES=0 srun --nodes 1 python -u fit.py data/a -l 3", {"source": Stated(("data/a",)), "lr": Stated(("3",))}),
        ("conda run -n env python -m pkg.fit make.py", {"source": Stated(("make.py",))}),
        ("--lr 3 'a b'", {"lr": Stated(("3",)), "source": Stated(("a b",))}),
        ("lr=3", {"lr": Stated(("3",))}),
        ("python fit.py 'it is open", {"source": Stated(("'it",))}),
        ("", {}),
        ("```", {}),
    ],
)  # fmt: skip
def test_a_call_is_read_whatever_is_wrong_with_it(text: str, expected: Mapping[str, Stated], entry: EntryPoint) -> None:
    assert by_name(text, entry) == expected


def filled(request: str, text: str, entry: EntryPoint) -> dict[str, tuple[str, ...]]:
    statement, model = read(request), shipped()
    told = Told(statement, entry.slots, stated(text, entry))
    found = told.added(fill(statement, entry.slots, model, told), model.switch)
    return {entry.slots[one.slot].option.dest: one.values for one in found.placed}


def test_an_opinion_moves_a_value(entry: EntryPoint) -> None:
    request = "Fit the pictures in /srv/birds with a rate of 0.05 at the end."
    assert filled(request, "python fit.py /srv/birds --min_lr 0.05", entry)["min_lr"] == ("0.05",)
    assert "min_lr" not in filled(request, "python fit.py /srv/birds --lr 0.05", entry)


def test_what_the_request_does_not_bear_out_is_not_added(entry: EntryPoint) -> None:
    request = "Fit the pictures in /srv/birds with Adam."
    found = filled(request, "python fit.py /srv/birds --lr 0.3 --name best --optimizer adam --amp", entry)
    assert found == {"source": ("/srv/birds",), "optimizer": ("adam",)}


def test_what_the_user_spells_stays(entry: EntryPoint) -> None:
    assert filled("fit /srv/birds with --lr 0.3", "python fit.py /srv/birds --min_lr 0.3", entry)["lr"] == ("0.3",)


def test_help_shows_what_the_request_may_mean(entry: EntryPoint) -> None:
    shown = help_of(read("Fit the pictures in /srv/birds with Adam."), entry, ".", shipped())
    assert shown.usage == "python fit.py [options] SOURCE"
    assert "--optimizer {sgd,adam} (sgd): which optimizer" in shown.lines
    assert "--lr FLOAT: learning rate" in shown.lines and "--classes INT ...: only these classes" in shown.lines


def test_help_of_many_options_is_short(workspace: Workspace) -> None:
    options = tuple(
        Option(dest=f"thing_{n}", flags=(f"--thing_{n}",), help="one of many things " * 9) for n in range(90)
    )
    entry = EntryPoint(Signature(path="fit.py", options=(*options, *OPTIONS)), Facts(workspace.index))
    shown = help_of(read("a learning rate of 0.5"), entry, ".", shipped())
    assert len(shown.lines) <= 22 and sum(map(len, shown.lines)) <= 1000
    assert any(line.startswith("--lr FLOAT") for line in shown.lines)
