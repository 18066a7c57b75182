"""Reading Python of others: what nobody wrote by hand is too deep, whatever it is made of; what people write is read."""

import ast
import sys

import pytest

from ml_agent.tools.python_source import MOST_LEVELS, TooDeepError, parse_python, read_python

MANY = 990
DEEP = {
    "attributes": '"a"' + ".system" * MANY + "(1)",
    "calls": "a" + "()" * MANY,
    "subscripts": "a" + "[0]" * MANY,
    "brackets": "[" * 190 + "]" * 190,
    "choices": "x = " + "1 if a else " * MANY + "2",
    "more choices": "x = " + "1 if a else " * 5000 + "2",
    "sums": "x = " + "+".join(["a"] * 5000),
    "signs": "not " * MANY + "a",
    "functions": "lambda: " * MANY + "1",
    "branches": "if a:\n pass\n" + "elif b:\n pass\n" * 3000,
    "methods": "import torch\nx = torch" + ".relu(1)" * MANY,
}
PEOPLE = [
    "x = " + " + ".join(["'a'"] * 100),
    "if a:\n pass\n" + "elif b:\n pass\n" * 100,
    "m" + ".add(1)" * 50,
    "[" * 60 + "1" + "]" * 60,
    "x = [" + "1, " * 5000 + "]",
]


@pytest.mark.parametrize("name", DEEP)
def test_what_is_nested_too_deeply_is_refused(name: str) -> None:
    with pytest.raises(TooDeepError):
        read_python(DEEP[name])
    assert parse_python(DEEP[name]) is None


@pytest.mark.parametrize("text", PEOPLE)
def test_what_people_write_is_read_and_can_be_written_out_far_down_in_the_stack(text: str) -> None:
    def below(frames: int) -> str:
        return below(frames - 1) if frames else ast.unparse(read_python(text))

    assert below(300)
    assert sys.getrecursionlimit() >= 3 * MOST_LEVELS + 400


@pytest.mark.parametrize("text", ["x = (", "a\0b", "(" * 2000 + ")" * 2000])
def test_what_is_no_python_is_said(text: str) -> None:
    with pytest.raises(SyntaxError):
        read_python(text)
    assert parse_python(text) is None
