"""Characters that a terminal obeys or that nobody sees: what is read would not be what is there."""

import re
import unicodedata

_WORD = re.compile(r"[^ \t\n]+")
_KINDS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Controls, format characters (turned directions, no width, tags), halves of characters, separators of lines."""


def is_hidden(letter: str) -> bool:
    """Whether a character other than a line end or a tab has no form of its own."""
    return letter not in "\n\t" and not letter.isprintable() and unicodedata.category(letter) in _KINDS


def words_with_hidden(text: str) -> list[str]:
    """The words that hold such a character; "\\r\\n" is a line end."""
    text = text.replace("\r\n", "\n")
    if text.replace("\n", "").isprintable():
        return []
    pieces = _WORD.findall(text)
    return [piece for piece in pieces if any(map(is_hidden, piece))]


def shown(text: str) -> str:
    """The text with such characters spelt out, for a line that tells of them."""
    return "".join(ascii(letter)[1:-1] if is_hidden(letter) else letter for letter in text)
