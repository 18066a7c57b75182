"""Patterns that most texts cannot match, as a look at them for a few words shows: compiled for the first text that has one of these."""

import re
from collections.abc import Iterator
from functools import cached_property


class GuardedPattern:
    """A pattern, whatever the case of letters, and words of which one is in all that it matches.

    Args:
        pattern: As `re.compile` takes it.
        words: In lower case.
    """

    def __init__(self, pattern: str, *words: str) -> None:
        self._pattern = pattern
        self._words = words

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern without its guard."""
        return re.compile(self._pattern, re.IGNORECASE)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As that of a compiled pattern."""
        folded = text.casefold()
        return self.compiled.finditer(text) if any(word in folded for word in self._words) else iter(())
