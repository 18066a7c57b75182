"""Expectations from option, sentence and model, each path once."""

import pytest

from ml_agent.delivery.expected import expectations, from_answer
from ml_agent.draft import Draft
from ml_agent.errors import UsageError


def expected(instruction: str, *options: str) -> list[str]:
    return [one.describe() for one in expectations(instruction, options)]


def test_the_option_stands_before_the_sentence() -> None:
    said = "Save the table to out.csv with the columns x and y."
    assert expected(said) == ["out.csv (csv), with x, y"]
    assert expected(said, "./out.csv:tsv", "plots/") == ["./out.csv (tsv), with x, y", "plots"]
    with pytest.raises(UsageError, match="no kind"):
        expected(said, "x.csv:table")


def test_what_the_author_of_an_answer_says_that_it_makes_is_expected() -> None:
    draft = Draft(kind="bash", text="python a.py", outputs=("curves/today/", "b.csv"))
    assert [one.describe() for one in from_answer(draft)] == ["curves/today", "b.csv (csv)"]
