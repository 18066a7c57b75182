"""What may stand for the choices of argparse: a text, words that a converter changes first; those of an enumeration are left open."""

import argparse
import contextlib
import io
from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]

PROGRAM = """
    import argparse
    from enum import Enum

    class Color(Enum):
        RED = "red"
        DARK_BLUE = "blue"

    p = argparse.ArgumentParser()
    p.add_argument("--color", type=Color, choices=list(Color), default=Color.RED)
    p.add_argument("--bare", type=Color)
    p.add_argument("--optim", type=str.upper, choices=["SGD", "ADAM"])
    p.add_argument("--sched", type=lambda word: word.lower(), choices=["step", "cosine"])
    p.add_argument("--steps", type=lambda word: int(float(word)))
    args = p.parse_args(WORDS)
"""


def refuses(words: str) -> bool:
    """Whether argparse itself refuses the words."""
    program = "\n".join(line[4:] for line in PROGRAM.split("\n")).replace("WORDS", repr(words.split()))
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            exec(program, names := dict[str, Any]({"argparse": argparse}))
        except SystemExit:
            return True
    return "args" not in names


def said(script: Script, words: str) -> list[str]:
    """The severities of what is wrong with the words."""
    return [f.severity for f in parse_call(script(PROGRAM.replace("WORDS", "")), words.split()).findings]


@pytest.mark.parametrize(
    "words",
    [
        "--bare blue", "--optim adam", "--sched COSINE", "--steps 1e3", "--steps 0.5",
    ],
)  # fmt: skip
def test_words_that_are_taken(script: Script, words: str) -> None:
    assert not refuses(words) and said(script, words) == []


@pytest.mark.parametrize(
    ("words", "severity"),
    [
        ("--color RED", "unsure"), ("--optim lamb", "error"), ("--sched exp", "warning"),
        ("--steps many", "warning"),
    ],
)  # fmt: skip
def test_words_that_are_refused(script: Script, words: str, severity: str) -> None:
    assert refuses(words) and said(script, words) == [severity]


def test_what_is_offered(script: Script, option: Find) -> None:
    signature = script(PROGRAM.replace("WORDS", ""))
    assert option(signature, "color").choices_unread and option(signature, "bare").choices == ()
