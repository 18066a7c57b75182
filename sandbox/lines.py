"""Output as lines: decoded, without escape sequences, with overwritten progress collapsed to what a person last saw."""

import codecs
import re
from collections.abc import Iterator

import msgspec

MAX_LINE = 16 * 1024
"""Characters; a longer line is passed on in pieces, so that output without line ends needs no memory."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_SPECIAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Line(msgspec.Struct, frozen=True):
    """One line of output, or one state of a line that the program overwrites."""

    text: str
    final: bool = True
    """False for a state that was overwritten by a carriage return."""


class LineReader:
    """Turns chunks of bytes into lines; keeps at most one unfinished line."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """Yield the lines that this chunk completes."""
        body, separator, rest = (self._rest + self._decoder.decode(chunk)).rpartition("\n")
        self._rest = rest
        if separator:
            plain = not _SPECIAL.search(body)
            for line in body.split("\n"):
                if plain and len(line) <= MAX_LINE:
                    yield Line(line)
                else:
                    yield from _states(line.removesuffix("\r"), closed=True)
        yield from self._shorten()

    def close(self) -> Iterator[Line]:
        """Yield what is left when the stream has ended."""
        rest, self._rest = self._rest + self._decoder.decode(b"", final=True), ""
        if rest:
            yield from _states(rest.removesuffix("\r"), closed=True)

    def _shorten(self) -> Iterator[Line]:
        """Pass overwritten states on at once, and pieces of an endless line."""
        at = self._rest.rfind("\r", 0, len(self._rest) - 1)  # the last character may be half of a line's end
        if at >= 0:
            yield from _states(self._rest[:at], closed=False)
            self._rest = self._rest[at + 1 :]
        while len(self._rest) > MAX_LINE:
            yield Line(clean(self._rest[:MAX_LINE]))
            self._rest = self._rest[MAX_LINE:]


def clean(text: str) -> str:
    """The text without terminal escape sequences and control characters."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return _CONTROLS.sub("", text)


def _states(line: str, closed: bool) -> Iterator[Line]:
    *overwritten, last = line.split("\r")
    for state in overwritten:
        if state.strip():
            yield Line(clean(state), final=False)
    if closed:
        for start in range(0, max(len(last), 1), MAX_LINE):
            yield Line(clean(last[start : start + MAX_LINE]))
    elif last.strip():
        yield Line(clean(last), final=False)
