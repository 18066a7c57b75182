"""What a model lists of a request is read by the signature, and is an opinion beside what was learned."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.llm.help_text import help_of
from ml_agent.llm.opinion import Told
from ml_agent.llm.phrases import Phrase, phrases
from ml_agent.matching.entries import EntryPoint, Facts
from ml_agent.matching.fill import fill
from ml_agent.matching.mentions import read
from ml_agent.matching.model import shipped
from ml_agent.matching.slots import Slot
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


Said = tuple[str, str | None, tuple[str, ...], bool]
REQUEST = "Fit the  pictures in data/a with a rate of one half, Adam, no log, for me."


def said(text: str, entry: EntryPoint) -> list[Said]:
    """The words, the option, its values, whether it is asked for."""
    found = phrases(text, read(REQUEST), entry.slots)
    return [
        (
            REQUEST[one.start : one.end] if one.start >= 0 else "",
            None if one.slot is None else entry.slots[one.slot].option.dest,
            one.values,
            one.positive,
        )
        for one in found
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a rate of one half = --lr 0.5", [("a rate of one half", "lr", ("0.5",), True)]),
        ("the pictures in data/a = SOURCE data/a\nfor me = nothing\ndone", [("the  pictures in data/a", "source", ("data/a",), True), ("for me", None, (), True)]),
        ("ADAM = --optimiser adam", [("Adam", "optimizer", ("adam",), True)]),
        ("with no log = --no-log", [(" no log", "log", (), False)]),
        ("a rate of one haIf = lr=0.5", [("a rate of one ha", "lr", ("0.5",), True)]),
        ("something else = --amp", [("", "amp", (), True)]),
        ("for me = --gpus 8", []),
        ("the pictures = data/a", []),
        ("a rate of one half = --lr 0.5, --classes 1 2, 3", [("a rate of one half", "lr", ("0.5",), True), ("a rate of one half", "classes", ("1", "2", "3"), True)]),
        ("```\n`Adam = --optimizer adam`\n```", [("Adam", "optimizer", ("adam",), True)]),
        ("lr = 3 = --lr 3", [("", "lr", ("3",), True)]),
        ("python fit.py data/a --lr 0.5 --no-log", [("", "lr", ("0.5",), True), ("", "log", (), False)]),
        ("= --lr 3", [("", "lr", ("3",), True)]),
        (" = ", []),
        ("To fit it you should read the paper.", []),
        ("", []),
        ("```", []),
    ],
)  # fmt: skip
def test_a_list_is_read_whatever_is_wrong_with_it(text: str, expected: list[Said], entry: EntryPoint) -> None:
    assert said(text, entry) == expected


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    slots = [Slot(option) for option in OPTIONS]
    statement = read(REQUEST)
    for one in phrases(text, statement, slots):
        assert one.start <= one.end <= len(REQUEST) and (one.slot is None or one.slot < len(slots))


def test_long_answers_take_no_time(entry: EntryPoint) -> None:
    statement = read("a " * 4_000)
    started = time.process_time()
    for text in (
        "a " * 20_000 + "= --lr 3",
        "a b = --lr 3\n" * 20_000,
        " = " * 20_000,
        "'" * 40_000,
        "x" * 40_000 + " = --lr 3",
    ):
        phrases(text, statement, entry.slots)
    assert time.process_time() - started < 5


def test_the_words_of_a_phrase_are_sought_in_order(entry: EntryPoint) -> None:
    statement = read("a rate of 3 and at the end a rate of 5")
    first, other = phrases("a rate of = --lr\na rate of = --min_lr", statement, entry.slots)
    assert (first.start, other.start) == (0, 27)


def filled(request: str, text: str, entry: EntryPoint) -> dict[str, tuple[str, ...]]:
    statement, model = read(request), shipped()
    told = Told(statement, entry.slots, phrases(text, statement, entry.slots))
    found = told.added(fill(statement, entry.slots, model, told), model.switch)
    return {entry.slots[one.slot].option.dest: one.values for one in found.placed}


def test_words_around_a_value_say_its_slot(entry: EntryPoint) -> None:
    request = "Fit the pictures in /srv/birds with a rate of 0.05 in the end."
    assert filled(request, "a rate of 0.05 in the end = --min_lr", entry)["min_lr"] == ("0.05",)
    assert "min_lr" not in filled(request, "a rate of 0.05 in the end = --lr", entry)
    assert not {"lr", "min_lr"} & filled(request.replace("rate", "bill"), "a bill of 0.05 = nothing", entry).keys()


def test_an_opinion_moves_a_value(entry: EntryPoint) -> None:
    request = "Fit the pictures in /srv/birds with a rate of 0.05 at the end."
    assert filled(request, "a rate of 0.05 = --min_lr 0.05", entry)["min_lr"] == ("0.05",)
    assert "min_lr" not in filled(request, "a rate of 0.05 = --lr 0.05", entry)


def test_what_the_request_does_not_bear_out_is_not_added(entry: EntryPoint) -> None:
    request = "Fit the pictures in /srv/birds with Adam."
    found = filled(request, "python fit.py /srv/birds --lr 0.3 --name best --optimizer adam --amp", entry)
    assert found == {"source": ("/srv/birds",), "optimizer": ("adam",)}


def test_of_several_values_in_a_phrase_the_one_that_is_named_counts(entry: EntryPoint) -> None:
    request = "Fit the pictures in /srv/birds in a run of the third kind, called lapwing_3."
    assert filled(request, "a run of the third kind, called lapwing_3 = --name lapwing_3", entry)["name"] == (
        "lapwing_3",
    )
    told = Told(read("a run of kind_2 called lapwing_3"), entry.slots, [Phrase(0, 32, 7, ("lapwing_3",))])
    kind, name = read("a run of kind_2 called lapwing_3").mentions
    assert told.value(kind, 7) < 0 < told.value(name, 7)


def test_a_choice_may_be_said_by_its_sense(entry: EntryPoint) -> None:
    request = "Fit the pictures in /srv/birds with adaptive moments."
    assert filled(request, "with adaptive moments = --optimizer adam", entry)["optimizer"] == ("adam",)
    assert "optimizer" not in filled(request, "with something = --optimizer adam", entry)
    assert "optimizer" not in filled(request, "with adaptive moments = --optimizer lamb", entry)


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
    assert len(shown.lines) <= 30 and sum(map(len, shown.lines)) <= 1500
    assert any(line.startswith("--lr FLOAT") for line in shown.lines)
