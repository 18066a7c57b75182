"""Quantities that are said without a number or without their name: "bigram", "goes through the data 5 times"."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from ml_agent.request import Value

_CLAUSE_ENDS = re.compile(r"[.!?;,](?:\s|$)")


@cache
def _data() -> Any:
    return tomllib.loads(files(__package__).joinpath("phrases.toml").read_text(encoding="utf-8"))


@cache
def _grams() -> re.Pattern[str]:
    names = "|".join(sorted((re.escape(name) for name in _data()["grams"]), key=len, reverse=True))
    return re.compile(rf"\b({names})\b(?:\s*(?:,|and|to|or)+\s*\b({names})\b)?", re.IGNORECASE)


def gram_sizes(text: str) -> Iterator[tuple[int, int, str]]:
    """Each length of n-grams that is said by its name: where it begins and ends, and the number."""
    for match in _grams().finditer(text):
        for group, name in enumerate(match.groups(), 1):
            if name:
                yield match.start(group), match.end(group), str(_data()["grams"][name.lower()])


def with_phrases(values: Sequence[Value], text: str) -> list[Value]:
    """The values, with the name of what is counted where a phrase says it in the same clause."""
    named = [
        (match, phrase["means"])
        for phrase in _data()["phrases"]
        for match in re.finditer(phrase["pattern"], text, re.IGNORECASE)
    ]
    return [_add_quantity_name(value, text, named) for value in values]


def _add_quantity_name(value: Value, text: str, named: Sequence[tuple[re.Match[str], str]]) -> Value:
    if value.kind != "number" or value.start < 0:
        return value
    for match, means in named:
        first, last = sorted(((value.start, value.end), match.span()))
        if not _CLAUSE_ENDS.search(text, first[1], last[0] + 1):
            return msgspec.structs.replace(value, words=(means, *value.words))
    return value
