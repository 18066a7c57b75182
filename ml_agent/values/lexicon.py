"""The word lists of the value extraction, kept as data in `words.toml`, and the names of n-grams in `grams.toml`."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files


@cache
def words(name: str) -> frozenset[str]:
    """The words listed under `name`."""
    return frozenset(str(_table("words")[name]).split())


@cache
def _table(name: str) -> Mapping[str, object]:
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def _grams() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _table("grams")), key=len, reverse=True))
    return re.compile(rf"\b({names})\b(?:\s*(?:,|and|to|or)+\s*\b({names})\b)?", re.IGNORECASE)


def gram_sizes(text: str) -> Iterator[tuple[int, int, str]]:
    """Each length of n-grams that is said by its name, "bigram": where it begins and ends, and the number."""
    for match in _grams().finditer(text):
        for group, name in enumerate(match.groups(), 1):
            if name:
                yield match.start(group), match.end(group), str(_table("grams")[name.lower()])
