"""Paths among the user's words: a quoted one is whole whatever blanks it has, an absolute one was written as such."""

import posixpath
import re
from collections.abc import Iterator, Sequence

import msgspec

from ml_agent.values.lexer import tokenize

_WORD = re.compile(r"[^\s\"'`“”„‘’«»,;()\[\]{}<>|]+")
_BLANK = re.compile(r"\s")
_OPENING = "\"'`“„‘«"
_BEFORE_A_PATH = " \t\r\n,;([{<|=:"
"""Behind anything else a slash goes on with what stands there: `${DATA}/x` is not `/x`."""
_ROOTED = ("/", ".", "~")


class NamedPath(msgspec.Struct, frozen=True):
    """A word of the user's, as a path."""

    path: str
    """Normalised."""
    quoted: bool = False
    whole: str = ""
    """The quoted path of which it is one word; "" where it stands by itself."""


def named_paths(instruction: str, values: Sequence[str]) -> tuple[NamedPath, ...]:
    """All words of the user's that may be paths, each once; what is quoted stands before the words in it.

    Args:
        instruction: the user's own sentence.
        values: of his own options.
    """
    words = [*_in_sentence(instruction), *(one for value in values for one in _parts(NamedPath(value)))]
    named = [msgspec.structs.replace(one, path=posixpath.normpath(one.path)) for one in words if one.path]
    return tuple({one.path: one for one in reversed(named)}.values())[::-1]


def _in_sentence(text: str) -> Iterator[NamedPath]:
    quoted = [token for token in tokenize(text) if token.kind == "quoted"]
    yield from (NamedPath(token.value, quoted=True) for token in quoted)
    for match in _WORD.finditer(text):
        around = next((token.value for token in quoted if token.start <= match.start() < token.end), "")
        whole = around if _BLANK.search(around) else ""
        word = match[0].rstrip(".:!?")
        # A part of a path leads elsewhere.
        if not whole.startswith(_ROOTED) and (not word.startswith("/") or _begins(text, match.start())):
            yield from _parts(NamedPath(word, whole=whole))


def _parts(one: NamedPath) -> Iterator[NamedPath]:
    """A word, and the value behind its equals sign."""
    yield one
    name, equals, value = one.path.partition("=")
    if equals and "://" not in name:
        yield msgspec.structs.replace(one, path=value)


def _begins(text: str, at: int) -> bool:
    """Whether a word stands by itself, and does not go on with what is before it."""
    before = text[max(0, at - 2) : at]
    if before[-1:] and before[-1] in _OPENING:
        before = before[:-1]
    return not before or before[-1] in _BEFORE_A_PATH
