"""One value that a request states."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from ml_agent.values.lexer import Token

MentionKind = Literal["number", "path", "name", "text", "factor", "word", "absence"]


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """One value that the request states."""

    text: str
    value: str
    """As it would be typed."""
    kind: MentionKind
    start: int
    end: int
    first: int
    """Number of its first token."""
    last: int
    parts: tuple[str, ...] = ()
    """Of a series ("4, 2 and 1"): its elements."""
    percent: bool = False
    """"40 percent": the value is 40, and 0.4 where a share is wanted."""
    noun: str = ""
    """The noun that says what it is: "the folder X", "a project called X"."""
    whole: bool = False
    """Whether it is made of others: a size of two numbers, a path of a folder and a file."""


def mention_of_tokens(text: str, tokens: Sequence[Token], first: int, last: int, **fields: Any) -> Mention:
    """The value that the tokens from the first to the last state, with its other fields."""
    start, end = tokens[first].start, tokens[last].end
    return Mention(text=text[start:end], start=start, end=end, first=first, last=last, **fields)
