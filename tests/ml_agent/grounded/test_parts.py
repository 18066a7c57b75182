"""The parts of the grounded navigator on their own."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.grounded.literals import literals
from ml_agent.grounded.scope import syntax_tree, unbound_names
from ml_agent.matching.assignment import best_matching
from ml_agent.matching.likeness import likeness, occurs_in
from ml_agent.matching.terms import terms
from ml_agent.tools.signatures.model import Option, Signature

SIGNATURE = Signature(
    path="src/train.py",
    options=(
        Option(dest="data"),
        Option(dest="lr", flags=("--lr",), type="float"),
        Option(dest="layers", flags=("--layers",), type="int", nargs="+"),
        Option(dest="amp", flags=("--amp",), nargs="0", type="bool"),
    ),
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.integers(0, 3), st.integers(1, 9)), max_size=4))
def test_the_matching_is_the_best_there_is(scores: list[dict[int, int]]) -> None:
    found = best_matching(scores, 4)
    best = 0
    for columns in itertools.product([None, 0, 1, 2, 3], repeat=len(scores)):
        used = [column for column in columns if column is not None]
        if len(set(used)) == len(used):
            best = max(
                best,
                sum(row.get(column, -100) for row, column in zip(scores, columns, strict=True) if column is not None),
            )
    assert sum(scores[row][column] for row, column in found.items()) == best


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
    assert occurs_in("512", "city_512_x") and not occurs_in("512", "city_5120")
    assert occurs_in("vqa_test_3b", "vqa_test_eval_3b") and not occurs_in("IF-I-L", "IF-II-L")


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
