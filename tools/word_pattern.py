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
