"""Where text hides from people: controls, characters without width, comments, encoded words, also such as are wrapped over lines.

Every function takes time in proportion to the text: a repository may be made to keep a reader busy.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_CONTROLS = "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"
"""What a terminal obeys; all but the line end and the tab."""
_FORMLESS = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0"
    "\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff"
)
"""What Unicode draws as nothing (Default_Ignorable_Code_Point), its other format characters that are not drawn, separators of lines, halves
of characters. Signs of numbers and verses are format characters too, and are drawn."""
_SELECTORS = "\ufe0e\ufe0f"
"""Make a letter an emoji or none."""
CONTROL = re.compile(f"[{_CONTROLS}]")
NO_WIDTH = re.compile(f"[{_FORMLESS}{_SELECTORS}]")
"""What is drawn as nothing, or only changes how its neighbours are drawn."""
HIDDEN = re.compile(f"[{_CONTROLS}{_FORMLESS}]|(?<![^\\s{_CONTROLS}{_FORMLESS}{_SELECTORS}])[{_SELECTORS}]")
"""What a terminal obeys or nobody sees; an emoji selector behind a letter is seen by what it makes of it."""
_PIECE = re.compile(r"[^ \t\n]+")
TAGS = re.compile("[\U000e0020-\U000e007e]{3,}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
"""Characters without width that spell a text: tags are letters, variation selectors bytes."""
_FIRST, _REST, _TAG = 0xFE00, 0xE0100, 0xE0000
_CLOSE = re.compile("--!?>")
_REFERENCE = re.compile(r"^\[(?://|comment|_|#)\]:[ \t]*\n?[ \t]*(?:#|<>)[ \t]*\n?[ \t]*[(\"']", re.MULTILINE)
_REFERENCE_END = re.compile(r"[)\"'][ \t]*$", re.MULTILINE)
_MARKERS = re.compile(r"[ \t>*+.)\d-]*(?:<|$)")
"""What may stand before an HTML block of Markdown."""
_WORD = re.compile(r"([ \t>#*;|\"'`]{0,12})([A-Za-z0-9+/_-]{16,}={0,2})([\"'`,;\\ \t)+]{0,4})")
_LAST_WORD = re.compile(r"([ \t>#*;|\"'`]{0,12})([A-Za-z0-9+/_-]{1,}={0,2})([\"'`,;\\ \t)+]{0,4})")
_CLASSES = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))


class Comment(NamedTuple):
    """A part of a text that is drawn nowhere."""

    start: int
    end: int
    closed: bool


class Block(NamedTuple):
    """Lines that are one encoded word each."""

    first: int
    """From 0."""
    words: tuple[str, ...]

    @property
    def joined(self) -> str:
        """All of it in one word."""
        return "".join(self.words)

    @property
    def wrapped(self) -> bool:
        """Whether it looks like what programs write: lines of one length, letters of both cases and digits."""
        widths = {len(word) for word in self.words[:-1]}
        return (
            len(widths) == 1
            and len(self.words[-1]) <= (width := widths.pop())
            and width % 4 == 0
            and not set("+/") & set(self.joined) & set("_-")
            and all(kind.search(self.joined) for kind in _CLASSES)
        )


def hidden_words(text: str) -> list[str]:
    """The words that hold a character that a terminal obeys or nobody sees; "\\r\\n" is a line end."""
    text = text.replace("\r\n", "\n")
    if HIDDEN.search(text) is None:
        return []
    return [piece for piece in _PIECE.findall(text) if HIDDEN.search(piece)]


def spelt_out(text: str) -> str:
    """The text with such characters as their numbers, for a line that tells of them."""
    return HIDDEN.sub(lambda match: ascii(match[0])[1:-1], text)


def spelled(text: str) -> str:
    """The text with what tags and variation selectors spell in their place."""
    return TAGS.sub(lambda match: _spell_out(match[0]), text)


def _spell_out(run: str) -> str:
    if ord(run[0]) in range(_TAG, _TAG + 0x80):
        return "".join(chr(ord(char) - _TAG) for char in run)
    data = bytes(code - _REST + 16 if (code := ord(char)) >= _REST else code - _FIRST for char in run)
    return data.decode(errors="replace")


def comments(text: str) -> Iterator[Comment]:
    """HTML comments, as browsers end them; the last may have no end."""
    at = text.find("<!--")
    while at >= 0:
        at_once = next((at + 4 + len(end) for end in (">", "->") if text.startswith(end, at + 4)), None)
        close = None if at_once else _CLOSE.search(text, at + 4)
        end = at_once or (close.end() if close else len(text))
        yield Comment(at, end, bool(at_once or close))
        at = text.find("<!--", end)


def references(text: str) -> Iterator[Comment]:
    """Link references that nothing links to: `[//]: # (a comment)`."""
    opened = _REFERENCE.search(text)
    while opened is not None:
        close = _REFERENCE_END.search(text, opened.end())
        if close is None:
            return
        yield Comment(opened.start(), close.end(), True)
        opened = _REFERENCE.search(text, close.end())


def is_drawn(text: str, comment: Comment) -> bool:
    """Whether people see it all the same: one that has no end hides what follows only where it begins HTML."""
    if comment.closed:
        return False
    line = text.rfind("\n", 0, comment.start) + 1
    paragraph = text.rfind("\n\n", 0, comment.start) + 2 if "\n\n" in text[: comment.start] else 0
    own = _MARKERS.fullmatch(text, line, comment.start)
    first = _MARKERS.match(text, paragraph)
    return own is None and not (first is not None and first[0].endswith("<"))


def blocks(lines: Sequence[str]) -> Iterator[Block]:
    """Runs of two lines and more of one encoded word each; the last may be short."""
    run: list[str] = []
    for number, line in enumerate([*lines, ""]):
        found = _WORD.fullmatch(line) if len(line) < 10_000 else None
        if found is not None:
            run.append(found[2])
            continue
        last = _LAST_WORD.fullmatch(line) if len(run) > 1 and len(line) < 40 else None
        first = number - len(run)
        run += [last[2]] if last is not None and sum(map(len, (*run, last[2]))) % 4 == 0 else []
        if len(run) > 1:
            yield Block(first, tuple(run))
        run = []


def shortened(line: str, to: str) -> str:
    """A line of a block with other words in the place of its own."""
    found = _LAST_WORD.fullmatch(line)
    return to if found is None else f"{found[1]}{to}{found[3]}"


def decoded(word: str) -> str | None:
    """The sentence that a word encodes in base64, of either alphabet, wherever in it that begins."""
    word = word.replace("-", "+").replace("_", "/").replace("=", "")
    for skipped in range(4):
        part = word[skipped:]
        try:
            said = readable(base64.b64decode(part[: len(part) - (len(part) % 4 == 1)] + "=" * (-len(part) % 4 % 3)))
        except (binascii.Error, ValueError):
            continue
        if said is not None:
            return said
    return None


def readable(data: bytes) -> str | None:
    """The text, where it is one of several words."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    good = text.count(" ") >= 2 and sum(char.isprintable() or char.isspace() for char in text) > 0.95 * len(text)
    return text if good else None
