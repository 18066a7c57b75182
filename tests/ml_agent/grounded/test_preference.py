"""Which of two commands goes first."""

from pathlib import Path

import pytest

from ml_agent.draft import Draft, LedgerEntry
from ml_agent.grounded.commands import Matched
from ml_agent.grounded.preference import is_better, unused
from ml_agent.navigator import Workspace
from ml_agent.request import Request
from tools.candidates import Candidate
from tools.index import RepoIndex

TRAIN = """
import argparse
p = argparse.ArgumentParser(description="Train a tagger")
p.add_argument("--epochs", type=int, help="number of epochs")
p.add_argument("--loss", choices=["l1", "l2"], help="l1 is the absolute error")
p.parse_args()
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """One script."""
    (tmp_path / "train.py").write_text(TRAIN)
    index = RepoIndex.open(tmp_path, "one")
    return Workspace(index=index, candidate=Candidate(full_name="a/b", url="", commit="one"), path=".")


def draft(text: str, *missed: str) -> Draft:
    ledger = tuple(LedgerEntry(value=one, text=one, status="not found", where="", required=True) for one in missed)
    return Draft(kind="bash", text=text, workdir=".", entry="train.py", because="", ledger=ledger)


def goes_first(
    matched: Draft, adapted: Draft, said: str, workspace: Workspace, placed: frozenset[str] = frozenset()
) -> bool:
    request = Request(instruction=said, keywords=(), queries=())
    return is_better(Matched(matched, 0.0, 0.0, placed), adapted, request, workspace)


PLAIN, LONG = "python train.py --epochs 7", "python train.py --epochs 7 --loss l1"


def test_what_uses_more_of_the_stated_values_goes_first(workspace: Workspace) -> None:
    assert goes_first(draft(PLAIN), draft(LONG, "7"), "Train by the absolute error", workspace)
    assert not goes_first(draft(LONG, "7"), draft(PLAIN), "Train by the absolute error", workspace)


def test_what_was_placed_for_its_meaning_is_used(workspace: Workspace) -> None:
    assert goes_first(draft(PLAIN, "seven"), draft(PLAIN), "Train it", workspace, frozenset({"seven"}))
    assert unused(draft(PLAIN, "seven"), {"seven"}) == 0


def test_of_two_that_use_as_many_the_one_that_says_more_words_goes_first(workspace: Workspace) -> None:
    assert not goes_first(draft(PLAIN), draft(LONG), "Train by the absolute error", workspace)
    assert goes_first(draft(LONG), draft(PLAIN), "Train by the absolute error", workspace)


def test_of_two_that_say_as_much_the_matched_one_goes_first(workspace: Workspace) -> None:
    assert goes_first(draft(PLAIN), draft(LONG), "Train it for 7 epochs", workspace)


def test_who_spells_options_has_them_as_they_were_matched(workspace: Workspace) -> None:
    assert goes_first(draft(PLAIN, "x"), draft(LONG), "Train with --epochs 7 by the absolute error", workspace)
