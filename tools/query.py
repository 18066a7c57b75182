"""What a sentence asks for, in the words in which repositories describe themselves. No model is asked."""

import re
import threading
from collections import defaultdict
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec
from snowballstemmer.english_stemmer import EnglishStemmer  # type: ignore[import-untyped]

from ml_agent.tools.own_cache import remembered

MAX_WORDS = 4
"""The longest entry of the vocabulary in words."""
_MOST_FIELDS = 3
_TOKEN = re.compile(r"[^\W_]+(?:[-_./][^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_FILE = re.compile(r"(?<![\w./-])[\w./-]+\.([a-z][a-z0-9]{1,4})(?![\w.])")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBER = re.compile(r"[\d.,_x/-]+(e[-+]?\d+|[a-z])?")
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "for",
        "from",
        "in",
        "into",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "our",
        "that",
        "the",
        "this",
        "to",
        "via",
        "we",
        "with",
        "you",
        "your",
    ]
)


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for."""

    names: tuple[str, ...] = ()
    """Names as they were written, most telling first: they may be a repository's own name."""
    fields: tuple[tuple[str, ...], ...] = ()
    """How repositories of the fields that it belongs to describe themselves, strongest first."""
    words: tuple[str, ...] = ()
    """The words that carry meaning."""


@remembered(8, longest=20_000)
def read_query(text: str) -> Query:
    """Understand an instruction as a query: the same sentence is read for keywords, for searching and for ranking."""
    names = names_in(_FILE.sub(" ", text))
    text = _FILE.sub(lambda match: f" {match[1]} ", text)  # of a file its kind counts
    return Query(names=names, fields=fields_in(text), words=content_words(text))


def stems(text: str) -> list[str]:
    """The stems of a text in order: names are split at case and punctuation, function words and numbers dropped."""
    words = [word.lower() for part in _PART.findall(text) for word in _CAMEL.split(part)]
    return [_stem(word) for word in words if word not in _STOP and not _NUMBER.fullmatch(word) and len(word) > 1]


def names_in(text: str) -> tuple[str, ...]:
    """Tokens that look like names: inner capitals, all capitals, digits, dashes or underscores between parts."""
    found = [token for token in _TOKEN.findall(text) if _oddity(token) and squash(token) not in filler()]
    found = [token for token in found if not _NUMBER.fullmatch(token.lower())]
    return tuple(dict.fromkeys(sorted(found, key=lambda token: -_oddity(token))))


def content_words(text: str) -> tuple[str, ...]:
    """The words that carry meaning, in the field's terms where it has its own: no filler, no numbers."""
    words = [word for word in _PART.findall(text) if len(word) > 1 and not _NUMBER.fullmatch(word.lower())]
    terms = [vocabulary().terms.get(_stem(word.lower()), word) for word in words]
    return tuple(dict.fromkeys(word for word in terms if word.lower() not in filler()))


def fields_in(text: str) -> tuple[tuple[str, ...], ...]:
    """The fields that a sentence speaks of, strongest first; a longer entry hides the shorter ones in it."""
    words = [_stem(word.lower()) for word in _PART.findall(text)]
    taken = [False] * len(words)
    strengths: dict[tuple[str, ...], float] = defaultdict(float)
    for length in range(MAX_WORDS, 0, -1):
        for start in range(len(words) - length + 1):
            span = slice(start, start + length)
            fields = vocabulary().fields.get(tuple(words[span]), ())
            if not fields or any(taken[span]):
                continue
            taken[span] = [True] * length
            for field in fields:
                strengths[field] += (1 + 0.5 * (length - 1)) / len(fields)
    return tuple(sorted(strengths, key=lambda field: -strengths[field])[:_MOST_FIELDS])


def squash(text: str) -> str:
    """Letters and digits only, lower case: Time-Series, time_series and TimeSeries are one name."""
    return "".join(_PART.findall(text)).lower()


def _oddity(token: str) -> int:
    """How little a token looks like a word of a sentence."""
    has_letters = any(character.isalpha() for character in token)
    inner_capital = any(character.isupper() for character in token[1:])
    digit = any(character.isdigit() for character in token)
    return (inner_capital + digit + ("_" in token)) * has_letters


@remembered(65536)
def _stem(word: str) -> str:
    # One stemmer a thread: it keeps the word that it works on in itself.
    if not hasattr(_of_thread, "stemmer"):
        _of_thread.stemmer = EnglishStemmer()
    return str(_of_thread.stemmer.stemWord(word))


_of_thread = threading.local()


class Vocabulary(NamedTuple):
    """What fields.txt says, by stems."""

    fields: dict[tuple[str, ...], list[tuple[str, ...]]]
    """The fields that an entry points to."""
    terms: dict[str, str]
    """The field's term for a plain word."""


@cache
def vocabulary() -> Vocabulary:
    """The shipped one."""
    found: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    terms: dict[str, str] = {}
    plain = {_stem(word) for word in filler()}  # "turns" of speakers: every sentence turns something
    for line in files(__package__).joinpath("fields.txt").read_text(encoding="utf-8").splitlines():
        own, _, others = line.partition(" = ")
        if not others or line.startswith("#"):
            continue
        if own.startswith("> "):
            terms |= {_stem(word.strip()): own[2:] for word in others.split(",")}
            continue
        field = tuple(name.strip() for name in own.split(","))
        for entry in (*field, *others.split(",")):
            key = tuple(_stem(word.lower()) for word in _PART.findall(entry))
            if field not in found[key] and not (len(key) == 1 and key[0] in plain):
                found[key].append(field)
    return Vocabulary(dict(found), terms)


@cache
def filler() -> frozenset[str]:
    """Words that say nothing about the field: articles, politeness, flourish, what every instruction is about."""
    return frozenset(files(__package__).joinpath("filler.txt").read_text(encoding="utf-8").split())
