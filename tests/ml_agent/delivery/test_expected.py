"""Expectations from option, sentence and model, each path once."""

import pytest

from ml_agent.delivery.expected import expectations, with_answer
from ml_agent.draft import Output
from ml_agent.errors import UsageError


def expected(instruction: str, *options: str) -> list[str]:
    return [one.describe() for one in expectations(instruction, options)]


def test_the_option_stands_before_the_sentence() -> None:
    said = "Save the table to out.csv with the columns 'x' and 'y'."
    assert expected(said) == ["out.csv (csv), with x, y"]
    assert expected(said, "./out.csv:tsv", "plots/") == ["./out.csv (tsv), with x, y", "plots"]
    with pytest.raises(UsageError, match="not a kind of file"):
        expected(said, "x.csv:table")


def test_what_the_author_of_an_answer_says_is_expected_too() -> None:
    read = expectations("Save the table to out.csv with the columns 'x' and 'y'. Also write a.txt.", ["plots/"])
    outputs = (
        Output(path="curves/today/"),
        Output(path="./out.csv", rows=3),
        Output(path="../b.csv"),
        Output(path="c.png", must=False),
    )
    merged = with_answer(read, outputs)
    assert [(one.describe(), one.must, one.source) for one in merged] == [
        ("plots", True, "option"),
        ("out.csv (csv), with x, y, 3 rows", True, "request"),
        ("a.txt (text)", False, "request"),
        ("curves/today", True, "model"),
        ("c.png (png)", False, "model"),
    ]
    assert with_answer(read, ()) == read


def test_print_may_mean_paper() -> None:
    read = expectations("Print the table items.csv as a PDF, outputs/items.pdf.", ())
    assert [(one.kind, one.must) for one in read] == [("pdf", True), ("printed", True)]
    merged = with_answer(read, (Output(path="outputs/items.pdf"),))
    assert [(one.kind, one.must) for one in merged] == [("pdf", True), ("printed", False)]
