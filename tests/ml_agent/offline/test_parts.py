"""Parts of the navigator without a model on their own."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.offline.assignment import best_matching
from ml_agent.offline.literals import literals
from ml_agent.offline.scope import syntax_tree, unbound_names
from ml_agent.offline.variables import likeness
from ml_agent.offline.words import terms


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), max_size=4))
def test_the_matching_is_the_best_there_is(gain: list[list[int]]) -> None:
    found = best_matching(np.array(gain, float).reshape(len(gain), 4))
    orders = itertools.permutations(range(4), len(gain))
    best = max(sum(row[column] for row, column in zip(gain, columns, strict=True)) for columns in orders)
    assert sum(gain[row][column] for row, column in found.items()) == best


@pytest.mark.parametrize(
    ("option", "wording"),
    [
        ("num_train_epochs", "number of training epochs"),
        ("max_seq_length", "maximum sequence length"),
        ("lr", "learning rate"),
        ("hid-dim", "hidden dimension"),
        ("bs", "batch size"),
        ("masked_lm_prob", "masked language modeling probability"),
        ("embed_size", "embedding sizes"),
    ],
)
def test_names_and_wordings_meet(option: str, wording: str) -> None:
    assert set(terms(option)) <= set(terms(wording))


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_name_has_terms(text: str) -> None:
    assert all(term == term.lower() for term in terms(text))


def test_likeness_of_names_and_files() -> None:
    assert likeness("cased_L-24_H-1024_A-16", "uncased_L-12_H-768_A-12") > 0.3
    assert likeness("cat.jpg", "docs/example.png") >= 0.7
    assert likeness("cat.jpg", "model.ckpt") < 0
    assert likeness("gpu", "relu") == 0


def test_literals_know_what_they_are_for() -> None:
    code = 'model = load("big", size=5, kw={"scale": 7.0})\ntext = "é" + f(x[0])\nshape = rand(1, 2, 3)\n'
    found = {(literal.slot, literal.text) for literal in literals(code)}
    assert {("load", "big"), ("size", "5"), ("scale", "7.0"), ("text", "é"), ("shape", "(1,2,3)")} <= found
    for literal in literals(code):
        if literal.kind == "number":
            assert code[literal.start : literal.end] == literal.text


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_text_of_code_is_too_odd(text: str) -> None:
    literals(text)
    tree = syntax_tree(text)
    if tree is not None:
        unbound_names(tree)


def test_needed_names() -> None:
    tree = syntax_tree("import os\nx = [y for y in z]\ndef f(a):\n    return a + b + x\nprint(os, f, len)\n")
    assert tree is not None
    assert set(unbound_names(tree)) == {"z", "b"}
