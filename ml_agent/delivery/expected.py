"""All that should come out: what the user says by option, what the sentence says, what the author of an answer says."""

import posixpath
from collections.abc import Iterable, Sequence

import msgspec

from ml_agent.delivery.expectation import KINDS, Expectation, kind_of
from ml_agent.delivery.request_words import expectations_of
from ml_agent.draft import Output
from ml_agent.errors import UsageError

_MOST_OUTPUTS = 12
"""That the author of an answer may name."""


def expectations(instruction: str, stated: Iterable[str]) -> tuple[Expectation, ...]:
    """Each path once; what the user says by `--expect` stands before what was read. Raises UsageError for an unknown kind."""
    read = expectations_of(instruction)
    taken: dict[str, Expectation] = {}
    for one in (*(_parse(text, read) for text in stated), *read):
        taken.setdefault(posixpath.normpath(one.path) if one.path else one.kind, one)
    return tuple(taken.values())


def said_before(expected: Sequence[Expectation], before: Sequence[str], correction: str) -> tuple[Expectation, ...]:
    """What is expected of a continued run: what was said by option before stays, unless the correction names a file that comes out.

    Then the author of the answer says whether that file replaces the other; what is missing is told all the same.
    """
    if not any(one.path for one in expectations_of(correction)):
        return tuple(expected)
    known = {one.path for one in expectations("", before)}
    return tuple(
        msgspec.structs.replace(one, source="before") if one.source == "option" and one.path in known else one
        for one in expected
    )


def with_answer(stated: Sequence[Expectation], outputs: Sequence[Output]) -> tuple[Expectation, ...]:
    """What the user's words say, as the author of an answer reads them, and what else he says should come out.

    What only our reading of the sentence asks for (a file, or that something is printed) need not be there where the author names files:
    whether it is missing, he is asked.
    """
    own = {posixpath.normpath(one.path): one for one in outputs[:_MOST_OUTPUTS] if _is_inside(one.path)}
    named = [one for one in stated if one.source == "request" and posixpath.normpath(one.path or "?") in own]
    merged: list[Expectation] = []
    for one in stated:
        mine = own.pop(posixpath.normpath(one.path), None) if one.path else None
        if mine is not None:
            one = msgspec.structs.replace(
                one,
                kind=one.kind if one.source in ("option", "before") else _kind(mine),
                columns=mine.columns or one.columns,
                rows=one.rows if mine.rows is None else mine.rows,
            )
        elif (outputs and one.source == "request") or (one.path and named and one.source == "before"):
            one = msgspec.structs.replace(one, must=False)
        merged.append(one)
    return (*merged, *(_of_author(one) for one in own.values()))


def _of_author(one: Output) -> Expectation:
    path = one.path.strip().rstrip("/")
    return Expectation(path=path, kind=_kind(one), columns=one.columns, rows=one.rows, must=one.must, source="model")


def _kind(one: Output) -> str:
    return one.kind if one.kind in KINDS else kind_of(one.path.strip())


def _is_inside(path: str) -> bool:
    return bool(path.strip()) and not posixpath.normpath(path.strip()).startswith(("..", "/", "~"))


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
        raise UsageError(
            f"--expect {text}: {kind!r} is not a kind of file that can be judged; choose one of {', '.join(KINDS)}"
        )
    path = path.strip()
    if not _is_inside(path):
        raise UsageError(
            f"--expect {text} is not a path below the folder in which the command runs: give a relative path"
        )
    said = next((one for one in read if posixpath.normpath(one.path or "?") == posixpath.normpath(path)), None)
    return Expectation(
        path=path.rstrip("/"),
        kind=kind or kind_of(path),
        columns=said.columns if said else (),
        rows=said.rows if said else None,
        source="option",
    )
