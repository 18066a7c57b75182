"""Which of two commands goes first."""

import re

from ml_agent.draft import Draft, LedgerEntry
from ml_agent.grounded.commands import Matched
from ml_agent.grounded.preference import is_better
from ml_agent.request import Request
from tools.signatures.model import Option, Signature

SIGNATURE = Signature(
    path="a.py", options=(Option(dest="epochs", flags=("-e", "--epochs")), Option(dest="seed", flags=("--seed",)))
)


def draft(text: str, *unused: str) -> Draft:
    found = dict.fromkeys(re.findall(r"\d+|\w+/\w+|[A-Z]\w+|\w+_new", text), "honoured") | dict.fromkeys(
        unused, "not found"
    )
    ledger = tuple(
        LedgerEntry(value=one, text=one, status=status, where="", required=True)  # type: ignore[arg-type]
        for one, status in found.items()
    )
    return Draft(kind="bash", text=text, workdir=".", entry=text.split()[1], because="", ledger=ledger)


def goes_first(
    matched: str, adapted: str, said: str = "train", *, least: float = 4.0, unasked: int = 0, margin: float = 0.5
) -> bool:
    request = Request(instruction=said, keywords=(), queries=())
    return is_better(Matched(draft(matched), margin, least, unasked), draft(adapted), request, [SIGNATURE])


def test_what_uses_more_of_the_values_goes_first() -> None:
    request = Request(instruction="train", keywords=(), queries=())
    less, more = draft("python a.py", "24"), draft("python b.py --epochs 24")
    assert is_better(Matched(more, 4.0, 0.0, 3), less, request)
    assert not is_better(Matched(less, 4.0, 9.0, 0), more, request)


def test_who_spells_options_has_them_as_they_were_matched() -> None:
    assert goes_first("python a.py --lr 1", "python b.py --lr 1", "train with --lr 1")


def test_of_two_that_use_as_much_the_firmly_matched_one_goes_first() -> None:
    assert goes_first("python a.py --epochs 24 --seed 1", "python a.py --epochs 24 --seed 1")
    assert not goes_first("python a.py --epochs 24", "python a.py --epochs 1", least=0.5)


def test_where_a_value_goes_elsewhere_only_the_stated_ones_speak_for_the_example() -> None:
    assert goes_first("python a.py --epochs 24 --seed 1", "python a.py -e 1 --seed 24 --reg l1")
    assert not goes_first("python a.py --epochs 24 --wide 8", "python a.py --start=24 --wide 8 --high 8")


def test_an_example_keeps_its_place_where_it_says_more_or_calls_something_else() -> None:
    assert not goes_first("python a.py --lam 1", "python a.py --lam 1 --reg l1")
    assert not goes_first("python a.py --epochs 24", "python a.py -e 24 --reg l1")
    assert not goes_first("python a.py --lam 1", "python b.py --lam 1")


def test_a_command_that_had_to_be_filled_up_does_not_go_first() -> None:
    assert not goes_first("python a.py model.pt", "python a.py other.pt", unasked=1)


def test_what_uses_all_that_the_example_does_and_more_goes_first() -> None:
    assert goes_first("python a.py --epochs 24 --seed 7", "python b.py --epochs 24", least=0.5)


def test_a_folder_more_speaks_for_a_command_and_a_name_more_does_not() -> None:
    assert goes_first("python a.py --epochs 24 --out logs/new", "python b.py --epochs 24", least=0.5)
    assert not goes_first("python a.py --epochs 24 --data CycleGAN", "python b.py --epochs 24", least=0.5)


def test_another_entry_point_goes_first_where_it_is_the_best_by_far() -> None:
    assert goes_first("python a.py --lam 1", "python b.py --lam 1", margin=2.0)
    assert not goes_first("python a.py --lam 1", "python b.py --lam 1", margin=2.0, least=0.5)
    assert not goes_first("python a.py --lam 1", "python b.py --lam 1", margin=2.0, unasked=1)


def test_a_name_to_which_something_is_written_is_a_folder_more() -> None:
    request = "train for 24 epochs, the weights should be written to run_new"
    assert goes_first("python a.py --epochs 24 --out run_new", "python b.py --epochs 24", request, least=0.5)


def test_what_was_placed_for_its_meaning_is_used() -> None:
    request = Request(instruction="train", keywords=(), queries=())
    matched = draft("python a.py --grid 3x2", "7").ledger
    command = Draft(kind="bash", text="python a.py --grid 3x2", workdir=".", entry="a.py", because="", ledger=matched)
    other = draft("python a.py --grid 3x2", "7")
    assert not is_better(Matched(command, 0.5, 0.5, 0), other, request, [SIGNATURE])
    assert is_better(Matched(command, 0.5, 0.5, 0, frozenset({"3x2", "7"})), other, request, [SIGNATURE])


def test_the_side_of_a_size_is_no_value_that_the_example_has_more() -> None:
    assert goes_first("python a.py --grid 3x2 --seed 1", "python a.py --grid 2 --seed 1 --start 3")
