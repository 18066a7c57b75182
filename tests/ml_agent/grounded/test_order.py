"""In which order commands and programs are tried."""

from collections.abc import Iterator

import pytest

from ml_agent.draft import Draft, LedgerEntry
from ml_agent.grounded.choices import Choice
from ml_agent.grounded.commands import CommandDraft
from ml_agent.grounded.kind import wanted_kind
from ml_agent.grounded.order import ProgramDrafts, ordered_drafts, python_lead, unused_value_count


def draft(text: str, *missed: str) -> Draft:
    ledger = tuple(LedgerEntry(value=one, text=one, status="not found", where="", required=True) for one in missed)
    kind = "python" if "(" in text else "bash"
    return Draft(kind=kind, text=text, workdir=".", because="", ledger=ledger)  # type: ignore[arg-type]


def order(
    said: str, commands: list[Draft], programs: ProgramDrafts, fits: tuple[float, float] = (0.5, 0.5)
) -> list[str]:
    choices = [Choice(kind="bash", fit=fits[0]), Choice(kind="python", fit=fits[1])]
    matched = [CommandDraft(one, 0.0, 0.0) for one in commands]
    return [one.text for one in ordered_drafts(said, matched, programs, choices)]


A, B, C = draft("a"), draft("b"), draft("c")
RUN, FIT = draft("run()"), draft("fit()")


def test_who_asks_for_python_gets_programs_first() -> None:
    assert order("Python code that runs it", [A], ProgramDrafts([], [RUN, FIT])) == ["run()", "fit()", "a"]


def test_who_asks_for_a_command_gets_commands_first() -> None:
    assert order("The command that runs it", [A, B], ProgramDrafts([], [RUN])) == ["a", "b", "run()"]


@pytest.mark.parametrize(("fits", "first"), [((0.3, 0.9), "run()"), ((0.9, 0.3), "a"), ((0.5, 0.5), "a")])
def test_where_the_wording_leaves_it_open_what_fits_better_goes_first(fits: tuple[float, float], first: str) -> None:
    assert order("Run it", [A], ProgramDrafts([], [RUN]), fits)[0] == first


@pytest.mark.parametrize("said", ["The command that runs it", "Run it"])
def test_no_program_is_made_where_a_command_goes_first_anyhow(said: str) -> None:
    made: list[Draft] = []

    def programs() -> Iterator[Draft]:
        made.append(RUN)
        yield RUN

    choices = [Choice(kind="bash", fit=0.9), Choice(kind="python", fit=0.3)]
    drafts = ordered_drafts(said, [CommandDraft(A, 0.0, 0.0)], ProgramDrafts([], programs()), choices)
    assert (next(drafts), made) == (A, [])
    assert (next(drafts), made) == (RUN, [RUN])


def test_a_stated_value_without_a_place_counts_against_either_kind() -> None:
    assert order("Run it", [draft("a", "x")], ProgramDrafts([], [RUN]))[0] == "run()"
    assert order("Run it", [draft("a", "x")], ProgramDrafts([], [RUN]), (0.9, 0.5))[0] == "a"


def test_a_command_that_uses_all_stated_values_goes_before_one_that_does_not() -> None:
    assert order("The command", [draft("a", "x"), B, C], ProgramDrafts([], []))[:3] == ["b", "c", "a"]


def test_what_was_placed_for_its_meaning_is_used() -> None:
    assert unused_value_count(draft("a", "x", "y")) == 2
    assert unused_value_count(draft("a", "x", "y"), {"x"}) == 1


def test_a_written_program_goes_before_an_example_only_where_it_uses_more() -> None:
    assert order("Python", [], ProgramDrafts([RUN], [FIT])) == ["fit()", "run()"]
    assert order("Python", [], ProgramDrafts([RUN], [draft("fit()", "x")])) == ["run()", "fit()"]


def test_after_three_of_a_kind_the_other_one_has_its_turn() -> None:
    commands = [draft(text) for text in "abcde"]
    assert order("The command", commands, ProgramDrafts([], [RUN, FIT])) == ["a", "b", "c", "run()", "d", "fit()", "e"]


def test_no_text_comes_twice() -> None:
    assert order("The command", [A, A], ProgramDrafts([RUN], [RUN])) == ["a", "run()"]


def test_the_lead_of_programs_is_that_of_the_best_one() -> None:
    choices = [Choice(kind="python", fit=0.2), Choice(kind="python", fit=0.75), Choice(kind="bash", fit=0.5)]
    assert python_lead(choices) == pytest.approx(0.25)


def test_what_a_command_has_of_the_request_and_a_program_lacks_counts_against_the_program() -> None:
    choices = [Choice(kind="bash", fit=0.4), Choice(kind="python", fit=0.7)]
    for placed, first in ((frozenset[str](), "run()"), (frozenset({"moons", "150"}), "a")):
        drafts = ordered_drafts("Run it", [CommandDraft(A, 0.0, 0.0, placed)], ProgramDrafts([], [RUN]), choices)
        assert next(drafts).text == first


@pytest.mark.parametrize(
    ("instruction", "kind"),
    [
        ("Train with --lr 0.1", "bash"),
        ("Train with `-o deep`", "bash"),
        ("Python code with lr 0.1, as in --lr 0.1", "python"),
        ("Run setup from the folder src/python", "either"),
        ("Train with python/train.py, see python.org", "either"),
        ("A Python-based solution", "python"),
        ("Do it in Python.", "python"),
        ("Write code that makes the dataset", "python"),
        ("With code, load them into the network", "python"),
        ("Inside a script I need the network itself", "python"),
        ("Train with code base two", "either"),
        ("Help me write some code that sets the batch size", "either"),
        ("Train a well-known model on 2-4 cards", "either"),
    ],
)
def test_who_types_an_option_wants_a_command(instruction: str, kind: str) -> None:
    assert wanted_kind(instruction) == kind


@pytest.mark.parametrize(("least", "placed", "first"), [(4.0, "xy", "a"), (1.0, "xy", "run()"), (4.0, "x", "run()")])
def test_a_command_that_surely_has_all_values_goes_before_programs(least: float, placed: str, first: str) -> None:
    choices = [Choice(kind="bash", fit=0.1), Choice(kind="python", fit=0.9)]
    command = CommandDraft(A, 0.0, least, frozenset(placed))
    assert next(ordered_drafts("Run it", [command], ProgramDrafts([], [RUN]), choices)).text == first


def test_a_program_that_uses_the_class_that_is_named_goes_first() -> None:
    other, named = draft("Wide(1)"), draft("Deep()", "1")
    programs = ProgramDrafts([other, named], [RUN], frozenset({"Deep"}))
    assert order("Python code for a Deep of 1", [A], programs) == ["Deep()", "Wide(1)", "run()", "a"]


def test_a_whole_notebook_is_no_answer_before_others() -> None:
    lesson = draft("learn()" + "\n" * 100)
    assert order("Run it", [A], ProgramDrafts([], [lesson, RUN]), (0.1, 0.9)) == ["run()", "a"]
    assert order("Python code for it", [A], ProgramDrafts([], [lesson, RUN])) == ["run()", "a", lesson.text]


@pytest.mark.parametrize(
    ("said", "first"),
    [("net_run on cora", "net_run --data cora"), ("run a net on cora", "run()"), ("like net_run-old on cora", "run()")],
)
def test_who_names_a_program_wants_it(said: str, first: str) -> None:
    assert order(said, [draft("net_run --data cora", "x")], ProgramDrafts([], [RUN]), (0.3, 0.9))[0] == first


@pytest.mark.parametrize(("fits", "first"), [((0.3, 0.9), "run()"), ((0.5, 0.6), "a")])
def test_an_example_that_leaves_values_out_must_fit_clearly_better(fits: tuple[float, float], first: str) -> None:
    assert order("Run it", [draft("a", "x", "y", "z")], ProgramDrafts([], [draft("run()", "x")]), fits)[0] == first
