"""Patterns that are looked for only where one of their words stands."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.word_pattern import any_of

_WORDS = ("Parser", r"\bfire\b", r"\bDEFINE_", r"FLAGS\b", r"\bexec(")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import fire", "fire"), ("fired", None), ("x = MyParser()", "Parser"), ("DEFINE_string(", "DEFINE_"), ("_DEFINE_", None),
        ("my_FLAGS.x", "FLAGS"), ("FLAGSHIP", None), ("exec(open(p).read())", "exec("), ("unexec(", None), ("", None),
    ],
)  # fmt: skip
def test_a_word_begins_and_ends_where_it_says_so(text: str, found: str | None) -> None:
    match = any_of(*_WORDS).search(text)
    assert (match[0] if match else None) == found


@given(st.text("fire DEFINE_FLAGSexc(Parser\n", max_size=40))
def test_it_finds_what_the_plain_pattern_finds(text: str) -> None:
    plain = re.search(r"Parser|\bfire\b|\bDEFINE_|FLAGS\b|\bexec\(", text)
    match = any_of(*_WORDS).search(text)
    assert (match and match.span()) == (plain and plain.span())
