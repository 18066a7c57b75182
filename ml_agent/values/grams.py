"""Lengths of n-grams by their names: "bigram"."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files


@cache
def _sizes() -> dict[str, int]:
    return tomllib.loads(files(__package__).joinpath("grams.toml").read_text(encoding="utf-8"))


@cache
def _grams() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _sizes()), key=len, reverse=True))
    return re.compile(rf"\b({names})\b(?:\s*(?:,|and|to|or)+\s*\b({names})\b)?", re.IGNORECASE)


def gram_sizes(text: str) -> Iterator[tuple[int, int, str]]:
    """Each length of n-grams that is said by its name: where it begins and ends, and the number."""
    for match in _grams().finditer(text):
        for group, name in enumerate(match.groups(), 1):
            if name:
                yield match.start(group), match.end(group), str(_sizes()[name.lower()])
