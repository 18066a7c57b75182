"""General knowledge of the field, kept as data: which field a model, a dataset or a term belongs to."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from fnmatch import translate
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

MAX_WORDS = 5
"""The longest name in words."""
_SEPARATOR = re.compile(r"[ _]|-(?![^\[]*\])")
"""Between the words of a pattern; a dash inside brackets is a range."""
_WORD = re.compile(r"[^\W_]+")
_BEGINNING = re.compile(r"[^*?\[]*")


class Concept(msgspec.Struct, frozen=True):
    """A field of machine learning."""

    words: tuple[str, ...]
    """How a repository of that field describes itself, most usual first."""
    names: tuple[str, ...]
    """What points to the field; `=` before a name asks for its case, `* ? [` make it a pattern."""


class Mention(NamedTuple):
    """A name in a text that points to a field."""

    concept: Concept
    text: str
    """As it stands in the text."""
    weight: float
    """1 for a name of one field, less for a name that several share."""


class _PatternWord(NamedTuple):
    """A shell pattern for one word, compiled when a word begins like it: hundreds are learnt, few are needed."""

    beginning: str
    """What stands before the first sign that is not a letter's own."""
    pattern: str

    @classmethod
    def of(cls, pattern: str) -> "_PatternWord":
        return cls(_BEGINNING.match(pattern)[0], pattern)  # type: ignore[index]  # it matches nothing at the least

    def matches(self, word: str) -> bool:
        return word.startswith(self.beginning) and _compile(self.pattern).match(word) is not None


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


class _Pattern(NamedTuple):
    words: tuple[_PatternWord, ...]
    exact_case: bool
    concept: Concept

    def matches(self, words: list[str], lowered: list[str]) -> bool:
        """Whether the words, as they stand and in lower case, are such a name: hundreds are asked, nearly all of them differ at once."""
        read = words if self.exact_case else lowered
        if not read[0].startswith(self.words[0].beginning):
            return False
        return all(pattern.matches(word) for pattern, word in zip(self.words, read, strict=True))


class Knowledge:
    """Concepts, ready to be found in texts."""

    def __init__(self, concepts: Iterable[Concept]) -> None:
        self.concepts = tuple(concepts)
        self._names: dict[str, list[Concept]] = defaultdict(list)
        self._patterns: dict[int, list[_Pattern]] = defaultdict(list)  # by number of words
        self._by_letter: dict[tuple[int, str], list[_Pattern]] = {}
        for concept in self.concepts:
            for name in concept.names:
                self._learn(name, concept)

    def mentions(self, text: str) -> list[Mention]:
        """Every name in the text with its field; a longer name hides the shorter ones in it, a name hides a pattern."""
        words = [match.group() for match in _WORD.finditer(text)]
        taken = [False] * len(words)
        found: list[Mention] = []
        for lookup in (self._by_name, self._by_pattern):
            for length in range(MAX_WORDS, 0, -1):
                for start in range(len(words) - length + 1):
                    span = slice(start, start + length)
                    if any(taken[span]) or not (concepts := lookup(words[span])):
                        continue
                    taken[span] = [True] * length
                    name = " ".join(words[span])
                    found += [Mention(concept, name, 1 / len(concepts)) for concept in concepts]
        return found

    def _learn(self, name: str, concept: Concept) -> None:
        plain = name.removeprefix("=")
        exact = name.startswith("=")
        if not set("*?[") & set(plain):
            key = squash(plain) if not exact else f"={plain}"
            self._names[key].append(concept)
            return
        words = _SEPARATOR.split(plain if exact else plain.lower())
        self._patterns[len(words)].append(_Pattern(tuple(map(_PatternWord.of, words)), exact, concept))

    def _by_name(self, words: list[str]) -> list[Concept]:
        joined = "".join(words)
        return _unique(self._names.get(f"={joined}", []) + self._names.get(joined.lower(), []))

    def _by_pattern(self, words: list[str]) -> list[Concept]:
        lowered = [word.lower() for word in words]
        return _unique(
            pattern.concept
            for pattern in self._beginning(len(words), lowered[0][:1])
            if pattern.matches(words, lowered)
        )

    def _beginning(self, length: int, letter: str) -> list[_Pattern]:
        """The patterns of so many words that may begin with a letter."""
        key = (length, letter)
        if key not in self._by_letter:
            several = self._patterns.get(length, ())
            self._by_letter[key] = [one for one in several if one.words[0].beginning[:1].lower() in {"", letter}]
        return self._by_letter[key]


def field_strengths(mentions: Iterable[Mention]) -> dict[Concept, float]:
    """How strongly mentions point to each field, strongest first: 1 for one clear name, less for shared names only."""
    weights = {(mention.concept, mention.text.lower()): mention.weight for mention in mentions}
    sums: dict[Concept, float] = defaultdict(float)
    for (concept, _), weight in weights.items():
        sums[concept] += weight
    # One more name of the same field says less each time.
    strengths = {concept: 1 - 0.5**total for concept, total in sums.items()}
    top = max(0.5, *strengths.values()) if strengths else 1.0
    return {concept: value / top for concept, value in sorted(strengths.items(), key=lambda item: -item[1])}


def squash(text: str) -> str:
    """Letters and digits only, lower case: Time-Series, time_series and TimeSeries are one name."""
    return "".join(_WORD.findall(text)).lower()


def _unique(concepts: Iterable[Concept]) -> list[Concept]:
    return list(dict.fromkeys(concepts))


@cache
def shipped() -> Knowledge:
    """The table that comes with the program."""
    table = tomllib.loads(files(__package__).joinpath("concepts.toml").read_text(encoding="utf-8"))
    return Knowledge(Concept(tuple(entry["words"]), _names(entry["names"])) for entry in table["concept"])


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := " ".join(part.split())))
