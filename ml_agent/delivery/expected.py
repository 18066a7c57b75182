"""All that should come out: what the user says by option, what the sentence says, what a model reads in it."""

import posixpath
import re
from collections.abc import Iterable
from itertools import chain
from typing import Protocol, runtime_checkable

from ml_agent.delivery.expectation import KINDS, Expectation, kind_of
from ml_agent.delivery.request_words import expectations_of
from ml_agent.errors import UsageError
from ml_agent.navigator import Given, Navigator
from ml_agent.request import Request

_SPEAKS_OF_RESULTS = re.compile(
    r"\b(?:save|saved|write|written|store|stored|export|output|put|dump)\b[\s\S]*[\w-]+(?:\.\w{1,11}\b|/)",
    re.IGNORECASE,
)
"""Worth a question to a model where the rules found nothing."""


@runtime_checkable
class ExpectingNavigator(Protocol):
    """A navigator that can tell what should come out of a request."""

    def expects(self, request: Request) -> tuple[Expectation, ...]:
        """Files that the request names as results."""


def expectations(instruction: str, given: Given, navigator: Navigator, request: Request) -> tuple[Expectation, ...]:
    """Each path once; what the user says by option stands before what was read. Raises UsageError for an unknown kind."""
    read = expectations_of(instruction)
    asks = not read and not given.expect and _SPEAKS_OF_RESULTS.search(instruction)
    declared = navigator.expects(request) if asks and isinstance(navigator, ExpectingNavigator) else ()
    stated = [_parse(text, read) for text in given.expect]
    taken: dict[str, Expectation] = {}
    for one in chain(stated, read, declared):
        taken.setdefault(posixpath.normpath(one.path) if one.path else one.kind, one)
    return tuple(taken.values())


def check_stated(texts: Iterable[str]) -> None:
    """Raise UsageError where an `--expect` cannot be meant."""
    for text in texts:
        _parse(text, ())


def _parse(text: str, read: tuple[Expectation, ...]) -> Expectation:
    """PATH or PATH:KIND, with what the sentence says of the same path."""
    path, colon, kind = text.rpartition(":")
    if not colon:
        path, kind = text, ""
    elif kind not in KINDS:
        raise UsageError(f"--expect {text}: {kind!r} is no kind; there are {', '.join(KINDS)}")
    path = path.strip()
    if not path or posixpath.normpath(path).startswith(("..", "/")):
        raise UsageError(f"--expect {text}: give a path relative to the folder in which the command runs")
    said = next((one for one in read if posixpath.normpath(one.path or "?") == posixpath.normpath(path)), None)
    return Expectation(
        path=path.rstrip("/"),
        kind=kind or kind_of(path),
        columns=said.columns if said else (),
        rows=said.rows if said else None,
        source="option",
    )
