"""A command as a model wrote it is read by the signature, and is a prior beside what was learned."""

import time
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from ml_agent.llm.written_call import WrittenArgument, arguments_by_slot
from ml_agent.llm.written_call_prior import WrittenCallPrior
from ml_agent.matching.entries import EntryPoint, RepositoryFacts
from ml_agent.matching.fill import fill
from ml_agent.matching.mentions import read_request
from ml_agent.matching.model import shipped
from ml_agent.matching.slots import Slot
from ml_agent.navigator import Workspace
from ml_agent.tools.signatures.model import Option, Signature

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

BARE: Any = SimpleNamespace(
    slots=tuple(Slot(option) for option in OPTIONS), signature=Signature(path="fit.py", options=OPTIONS)
)


@pytest.fixture
def entry(workspace: Workspace) -> EntryPoint:
    signature = Signature(path="fit.py", framework="argparse", options=OPTIONS)
    return EntryPoint(signature, RepositoryFacts(workspace.index))


def by_name(text: str, entry: EntryPoint) -> Mapping[str, WrittenArgument]:
    return {entry.slots[place].option.dest: given for place, given in arguments_by_slot(text, entry).items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("python fit.py data/a --lr 0.5 --amp", {"source": WrittenArgument(("data/a",)), "lr": WrittenArgument(("0.5",)), "amp": WrittenArgument(())}),
        ("fit.py --lr=0.5 --classes 1 2 --no-log", {"lr": WrittenArgument(("0.5",)), "classes": WrittenArgument(("1", "2")), "log": WrittenArgument((), False)}),
        ("python fit.py --learn 3 --optimiser adam", {"optimizer": WrittenArgument(("adam",)), "source": WrittenArgument(("3",))}),
        ("`python fit.py --MIN-LR -1e-3`", {"min_lr": WrittenArgument(("-1e-3",))}),
        ("```sh\npython fit.py \\\n  -l 3 --name 'a b'\n```\nDone.", {"lr": WrittenArgument(("3",)), "name": WrittenArgument(("a b",))}),
        ("CUDA_VISIBLE_DEVICES=0 srun --nodes 1 python -u fit.py data/a -l 3", {"source": WrittenArgument(("data/a",)), "lr": WrittenArgument(("3",))}),
        ("conda run -n env python -m pkg.fit make.py", {"source": WrittenArgument(("make.py",))}),
        ("--lr 3 'a b'", {"lr": WrittenArgument(("3",)), "source": WrittenArgument(("a b",))}),
        ("lr=3", {"lr": WrittenArgument(("3",))}),
        ("--lr 3 --classes 1 --lr 4 --classes 2", {"lr": WrittenArgument(("4",)), "classes": WrittenArgument(("1", "2"))}),
        ("python fit.py 'it is open", {"source": WrittenArgument(("'it",))}),
        ("", {}),
        ("```", {}),
    ],
)  # fmt: skip
def test_a_call_is_read_whatever_is_wrong_with_it(
    text: str, expected: Mapping[str, WrittenArgument], entry: EntryPoint
) -> None:
    assert by_name(text, entry) == expected


def filled(request: str, text: str, entry: EntryPoint) -> dict[str, tuple[str, ...]]:
    statement, model = read_request(request), shipped()
    told = WrittenCallPrior(statement, entry.slots, arguments_by_slot(text, entry))
    found = told.with_given_values(fill(statement, entry.slots, model, told), model.switch)
    return {entry.slots[one.slot].option.dest: one.values for one in found.placed}


def test_an_opinion_moves_a_value(entry: EntryPoint) -> None:
    request = "Fit the pictures in /srv/birds with a rate of 0.05 at the end."
    assert filled(request, "python fit.py /srv/birds --min_lr 0.05", entry)["min_lr"] == ("0.05",)
    assert "min_lr" not in filled(request, "python fit.py /srv/birds --lr 0.05", entry)


def test_what_the_request_does_not_bear_out_is_not_added(entry: EntryPoint) -> None:
    request = "Fit the pictures in /srv/birds with Adam."
    found = filled(request, "python fit.py /srv/birds --name best --optimizer adam", entry)
    assert found == {"source": ("/srv/birds",), "optimizer": ("adam",)}


def test_what_the_user_spells_stays(entry: EntryPoint) -> None:
    assert filled("fit /srv/birds with --lr 0.3", "python fit.py /srv/birds --min_lr 0.3", entry)["lr"] == ("0.3",)


def test_what_a_model_overlooks_keeps_its_place(entry: EntryPoint) -> None:
    found = filled("Fit the pictures in /srv/birds with a rate of one half, with Adam.", "--optimizer adam", entry)
    assert found["source"] == ("/srv/birds",) and found["optimizer"] == ("adam",)


def test_what_only_a_model_sees_is_added(entry: EntryPoint) -> None:
    request = "Fit the pictures in /srv/birds, thrice as fast as usual."
    assert filled(request, "/srv/birds --lr 0.3", entry)["lr"] == ("0.3",)


def test_a_default_and_an_unknown_choice_are_not_added(entry: EntryPoint) -> None:
    found = filled(
        "Fit the pictures in /srv/birds with a rate of one half, with Adam.",
        "/srv/birds --min_lr 0 --optimizer rmsprop",
        entry,
    )
    assert "min_lr" not in found and found.get("optimizer") != ("rmsprop",)


@drawn(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert set(arguments_by_slot(text, BARE)) <= set(range(len(OPTIONS)))


def test_long_answers_take_no_time() -> None:
    started = time.process_time()
    for text in ("a " * 40_000, "--lr 3 " * 20_000, "'" * 40_000, "`" * 40_000, "\\\n" * 20_000):
        arguments_by_slot(text, BARE)
    assert time.process_time() - started < 5
