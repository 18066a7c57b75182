"""Text of others on its way to a terminal."""

import re

from sandbox.lines import clean

_TURNING = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Characters without width, and those that turn the direction: what is read would not be what is there."""


def terminal_text(text: str) -> str:
    """The text without anything that a terminal obeys (clipboard, title, cursor, colours); line ends and tabs stay."""
    return _TURNING.sub("", clean(text.replace("\r\n", "\n")).replace("\r", ""))
