"""GitHub's repository search, as its documentation describes it: words, qualifiers, best match, stars."""

import math
import operator
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, NamedTuple

import msgspec

_TERM = re.compile(r'(-?)(?:([a-z]+):)?("[^"]*"|\S+)')
_WORD = re.compile(r"[a-z0-9]+")
_COMPARED = re.compile(r"(>=|<=|>|<)(.+)|(.+)\.\.(.+)|(.+)")
_FIELDS = {"name": 4.0, "topics": 2.0, "description": 1.5, "readme": 0.3}
_DEFAULT = ("name", "description", "topics")


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What GitHub shows of a repository."""

    full_name: str
    description: str | None = None
    topics: tuple[str, ...] = ()
    language: str | None = "Python"
    stars: int = 1
    private: bool = False
    default_branch: str = "main"
    licence: str | None = None
    archived: bool = False
    fork: bool = False
    pushed: str = "2024-01-02T03:04:05Z"
    size: int = 0
    readme: str = ""
    """Of a repository without files."""


class Text(NamedTuple):
    """The words of a repository, by field."""

    name: frozenset[str]
    description: frozenset[str]
    topics: frozenset[str]
    readme: frozenset[str]


class Search:
    """One search, read."""

    def __init__(self, query: str) -> None:
        self.words: list[str] = []
        self._tests: list[Callable[[About], bool]] = []
        self.fields: tuple[str, ...] = _DEFAULT
        forks = False
        for minus, qualifier, text in _TERM.findall(query):
            value = text.strip('"').lower()
            if qualifier == "in":
                self.fields = tuple(value.split(","))
            elif qualifier == "fork":
                forks = True
                self._tests += [lambda about: about.fork] if value == "only" else []
            elif qualifier in _QUALIFIERS:
                test = _QUALIFIERS[qualifier](value)
                self._tests.append(_without(test) if minus else test)
            elif minus:
                self._tests.append(_without(partial(self._says, words_in(value))))
            else:
                self.words += words_in(f"{qualifier} {value}" if qualifier else value)
        if not forks:
            self._tests.append(lambda about: not about.fork)

    def hits(self, abouts: Iterable[About]) -> list[About]:
        """Every word in a field, every qualifier true; best match first."""
        wanted = frozenset(self.words)
        found = [one for one in abouts if wanted <= self._said(one) and all(test(one) for test in self._tests)]
        return sorted(found, key=lambda one: (-self._match(one), -one.stars, one.full_name))

    def _says(self, words: frozenset[str], about: About) -> bool:
        return words <= self._said(about)

    def _said(self, about: About) -> frozenset[str]:
        text = text_of(about)
        return frozenset().union(*(getattr(text, field) for field in self.fields if field in _FIELDS))

    def _match(self, about: About) -> float:
        """Where the words stand, and how popular it is: a repository of that very name comes first."""
        text = text_of(about)
        score = sum(
            max((_FIELDS[field] for field in self.fields if word in getattr(text, field)), default=0.0)
            for word in self.words
        )
        own = about.full_name.partition("/")[2].lower()
        exact = 5.0 if own == "-".join(self.words) or own == "".join(self.words) else 0.0
        return (score / max(1, len(self.words)) + exact) * (1 + 0.25 * math.log10(1 + about.stars))


def _without(test: Callable[[About], bool]) -> Callable[[About], bool]:
    return lambda about: not test(about)


@cache
def text_of(about: About) -> Text:
    """The words of a repository: kept, thousands are searched many times."""
    parts = (about.full_name.partition("/")[2], about.description or "", " ".join(about.topics), about.readme)
    return Text(*(words_in(part) for part in parts))


@cache
def words_in(text: str) -> frozenset[str]:
    """Words in lower case, singular."""
    words = _WORD.findall(text.lower())
    return frozenset(word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" else word for word in words)


def _compared(value: str, kind: Callable[[str], Any]) -> Callable[[Any], bool]:
    match = _COMPARED.fullmatch(value)
    if match is None:
        return lambda _: False
    sign, bound, low, high, same = match.groups()
    if sign:
        signs = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
        limit = kind(bound)
        return lambda one: bool(signs[sign](one, limit))
    if low:
        return lambda one: bool(kind(low) <= one <= kind(high))
    return lambda one: bool(one == kind(same))


def _number(value: str) -> Callable[[About], bool]:
    test = _compared(value, float)
    return lambda about: test(float(about.stars))


def _day(value: str) -> Callable[[About], bool]:
    test = _compared(value, str)
    return lambda about: test(about.pushed[:10])


_QUALIFIERS: dict[str, Callable[[str], Callable[[About], bool]]] = {
    "language": lambda value: lambda about: (about.language or "").lower() == value,
    "topic": lambda value: lambda about: value in about.topics,
    "stars": _number,
    "pushed": _day,
    "archived": lambda value: lambda about: about.archived == (value == "true"),
    "license": lambda value: lambda about: (about.licence or "").lower() == value,
    "user": lambda value: lambda about: about.full_name.partition("/")[0].lower() == value,
    "org": lambda value: lambda about: about.full_name.partition("/")[0].lower() == value,
    "repo": lambda value: lambda about: about.full_name.lower() == value,
}
