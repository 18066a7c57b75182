"""All that should come out: what the user says by option, what the sentence says, what the author of an answer says."""

import posixpath
from collections.abc import Iterable

from ml_agent.delivery.expectation import KINDS, Expectation, kind_of
from ml_agent.delivery.request_words import expectations_of
from ml_agent.draft import Draft
from ml_agent.errors import UsageError


def expectations(instruction: str, stated: Iterable[str]) -> tuple[Expectation, ...]:
    """Each path once; what the user says by `--expect` stands before what was read. Raises UsageError for an unknown kind."""
    read = expectations_of(instruction)
    taken: dict[str, Expectation] = {}
    for one in (*(_parse(text, read) for text in stated), *read):
        taken.setdefault(posixpath.normpath(one.path) if one.path else one.kind, one)
    return tuple(taken.values())


def from_answer(draft: Draft) -> tuple[Expectation, ...]:
    """What the author of an answer says that it makes, where nothing was read: files and folders that the request names."""
    return tuple(Expectation(path=path.rstrip("/"), kind=kind_of(path), source="model") for path in draft.outputs)


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
