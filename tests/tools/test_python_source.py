"""Reading Python of others: what nobody wrote by hand is too deep, whatever it is made of; what people write is read."""

import ast
import gc
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event

import pytest

from ml_agent.tools.python_source import MOST_LEVELS, TooDeepError, parse_python, read_python, syntax_tree

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


def test_a_thread_that_parses_gets_its_tree_whoever_else_does() -> None:
    text = "\n".join(f"x{i} = [f({i}, (a, {{b: c}})) for a in range({i})]" for i in range(50))
    stop = Event()

    def give_way(phase: str, info: dict[str, int]) -> None:
        time.sleep(1e-5)  # whoever collects memory lets the other thread go on, as finalizers do

    def parsed(frames: int) -> int:
        return parsed(frames - 1) if frames else len(syntax_tree(text).body)

    def others() -> None:
        while not stop.is_set():  # as the traceback of an error does
            with suppress(SystemError):
                ast.parse(text)

    thresholds = gc.get_threshold()
    gc.callbacks.append(give_way)
    gc.set_threshold(20)
    try:
        with ThreadPoolExecutor(3) as pool:
            pool.submit(others)
            try:
                trees = list(pool.map(parsed, range(40)))
            finally:
                stop.set()
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(give_way)
    assert trees == [50] * 40
