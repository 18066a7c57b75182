"""The check of words that a converter looks up in a table."""

import pytest

from tests.tools.conftest import Make

REPOSITORY = """
    import argparse
    TABLE = {"adam": 1, "sgd": 2}
    def exact(word):
        known = {"True": True, "False": False}
        if word in known:
            return known[word]
        raise ValueError(f"one of {set(known.keys())}, not {word}")
    def folded(word):
        if word.lower() not in TABLE:
            raise argparse.ArgumentTypeError(word)
        return TABLE[word.lower()]
    def open_to_more(word):
        return {"a": 1, "b": 2}.get(word, word)
    def numbers_too(word):
        return {"one": 1}[word] if word == "one" else int(word)
    def begins(word):
        if word.startswith("cuda") or word in {"cuda": 0, "cpu": 1}:
            return word
        raise ValueError
    p = argparse.ArgumentParser()
    p.add_argument("--exact", type=exact, default=True)
    p.add_argument("--folded", type=folded)
    p.add_argument("--bare", type=lambda word: {"x": 1, "y": 2}[word])
    p.add_argument("--open", type=open_to_more)
    p.add_argument("--numbers", type=numbers_too)
    p.add_argument("--begins", type=begins)
    p.parse_args()
    """


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("--exact False", []),
        ("--exact false", ["error bad-choice"]),
        ("--exact 1", ["error bad-choice"]),
        ("--exact $X", []),
        ("--folded SGD", []),
        ("--folded lion", ["error bad-choice"]),
        ("--bare z", []),
        ("--open lion", []),
        ("--numbers 3", []),
        ("--begins cuda:1", []),
    ],
)
def test_the_keys_of_the_table_are_choices(checked: Make, words: str, found: list[str]) -> None:
    assert checked({"main.py": REPOSITORY})(f"python main.py {words}") == found


REGISTRY = """
    import argparse
    from library import MODELS
    p = argparse.ArgumentParser()
    p.add_argument("--model", choices=MODELS.names(), default="small")
    p.add_argument("--size", choices=["a", "b"])
    p.parse_args()
    """


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("--model large", ["unsure bad-choice"]),
        ("--model small", []),
        ("--model $X --size a", []),
        ("--size c", ["error bad-choice"]),
    ],
)
def test_choices_that_could_not_be_read_leave_a_value_open(checked: Make, words: str, found: list[str]) -> None:
    assert checked({"main.py": REGISTRY})(f"python main.py {words}") == found
