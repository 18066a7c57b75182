"""A pattern that is looked for only where one of its words stands: most texts have none, and that is seen ten times as fast."""

import re
from typing import NamedTuple


class WordPattern(NamedTuple):
    """A pattern whose every match contains one of some words.

    Args:
        words: One of them is part of every match.
        pattern: What is looked for.
    """

    words: tuple[str, ...]
    pattern: re.Pattern[str]

    def search(self, text: str) -> re.Match[str] | None:
        """The first match in a text."""
        return self.pattern.search(text) if any(word in text for word in self.words) else None


def any_of(*words: str) -> WordPattern:
    r"""A pattern for any of these: plain text, and `\b` before or after it where a word begins or ends there."""
    plain = tuple(word.removeprefix(r"\b").removesuffix(r"\b") for word in words)
    parts = (
        (r"\b" if word.startswith(r"\b") else "") + re.escape(inner) + (r"\b" if word.endswith(r"\b") else "")
        for word, inner in zip(words, plain, strict=True)
    )
    return WordPattern(plain, re.compile("|".join(parts)))
