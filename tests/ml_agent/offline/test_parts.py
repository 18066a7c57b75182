"""Parts of the navigator without a model on their own."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.offline.assignment import best_matching
from ml_agent.offline.literals import literals
from ml_agent.offline.words import terms


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), max_size=4))
def test_the_matching_is_the_best_there_is(gain: list[list[int]]) -> None:
    found = best_matching(np.array(gain, float).reshape(len(gain), 4))
    orders = itertools.permutations(range(4), len(gain))
    best = max(sum(row[column] for row, column in zip(gain, columns, strict=True)) for columns in orders)
    assert sum(gain[row][column] for row, column in found.items()) == best


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_name_has_terms(text: str) -> None:
    assert all(term == term.lower() for term in terms(text))


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_text_of_code_is_too_odd(text: str) -> None:
    literals(text)
