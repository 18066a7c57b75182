"""What a sentence asks for, in the words in which repositories describe themselves. No model is asked."""

import re
import threading
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec
from snowballstemmer.english_stemmer import EnglishStemmer  # type: ignore[import-untyped]

from ml_agent.tools.knowledge import Concept, Knowledge, field_strengths, shipped, squash
from ml_agent.tools.remember import remembered

WORD_WEIGHT = 0.25
"""A plain word of the sentence against a word of its field."""
NAME_WEIGHT = 0.6
"""A name in the sentence (ViT-B-32, Citeseer), as a word."""
DESCRIPTION_DECAY = 0.75
"""Each further self-description of a field counts that much of the one before."""
QUERY_DECAY = 0.8
"""Each further search query counts that much of the one before."""

Phrase = tuple[str, ...]
"""Stems that belong together: ("graph", "neural", "network")."""

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
_TOKEN = re.compile(r"[^\W_]+(?:[-_./][^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBER = re.compile(r"[\d.,_x/-]+(e[-+]?\d+|[a-z])?")


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for."""

    phrases: dict[Phrase, float]
    """Weight of each phrase."""
    names: tuple[str, ...] = ()
    """Names as they were written, most telling first: they may be a repository's own name."""
    fields: tuple[Concept, ...] = ()
    """The fields that it belongs to, strongest first."""
    words: tuple[str, ...] = ()
    """The other words that carry meaning."""


def read_query(text: str, knowledge: Knowledge | None = None) -> Query:
    """Understand an instruction, or a search query, as a weighted query."""
    return _read_by_shipped(text) if knowledge is None else _read(text, knowledge)


@remembered(8, longest=20_000)
def _read_by_shipped(text: str) -> Query:
    """The same sentence is read for its keywords, for its queries and for ranking."""
    return _read(text, shipped())


def _read(text: str, knowledge: Knowledge) -> Query:
    mentions = knowledge.mentions(text)
    strengths = field_strengths(mentions)
    names, words = names_in(text), content_words(text)
    phrases: dict[Phrase, float] = {}
    for concept, strength in strengths.items():
        for position, description in enumerate(concept.words):
            _raise(phrases, description, strength * DESCRIPTION_DECAY**position)
    for name in (*names, *(mention.text for mention in mentions)):
        _raise(phrases, name, NAME_WEIGHT)
    for word in words:
        _raise(phrases, word, WORD_WEIGHT)
    return Query(phrases=phrases, names=names, fields=tuple(strengths), words=words)


def read_queries(texts: Sequence[str], knowledge: Knowledge | None = None) -> Query:
    """Several queries as one; each counts less than the one before."""
    phrases: dict[Phrase, float] = {}
    queries = [read_query(text, knowledge) for text in texts]
    for position, query in enumerate(queries):
        for phrase, weight in query.phrases.items():
            phrases[phrase] = max(phrases.get(phrase, 0.0), weight * QUERY_DECAY**position)
    return Query(
        phrases=phrases,
        names=tuple(dict.fromkeys(name for query in queries for name in query.names)),
        fields=tuple(dict.fromkeys(concept for query in queries for concept in query.fields)),
        words=tuple(dict.fromkeys(word for query in queries for word in query.words)),
    )


def _raise(phrases: dict[Phrase, float], text: str, weight: float) -> None:
    if phrase := tuple(dict.fromkeys(stems(text))):
        phrases[phrase] = max(phrases.get(phrase, 0.0), weight)


def stems(text: str) -> list[str]:
    """The stems of a text in order: names are split at case and punctuation, function words and numbers dropped."""
    words = [word.lower() for part in _PART.findall(text) for word in _CAMEL.split(part)]
    return [_stem(word) for word in words if word not in _STOP and not _NUMBER.fullmatch(word) and len(word) > 1]


def names_in(text: str) -> tuple[str, ...]:
    """Tokens that look like names: inner capitals, all capitals, digits, dashes or underscores between parts."""
    found = [token for token in _TOKEN.findall(text) if _is_name(token)]
    return tuple(dict.fromkeys(sorted(found, key=lambda token: -_oddity(token))))


def content_words(text: str) -> tuple[str, ...]:
    """The words that carry meaning, as written: no filler, no numbers."""
    words = (
        word for word in _PART.findall(text) if word.lower() not in filler() and not _NUMBER.fullmatch(word.lower())
    )
    return tuple(dict.fromkeys(word for word in words if len(word) > 1))


def name_keys(name: str) -> dict[str, float]:
    """What a repository may be called that a name belongs to, squashed, with how much that says.

    A checkpoint starts with its family's name (esm2_t33_650M: esm2, esm; IF-I-XL: if).
    """
    parts = _PART.findall(name)
    keys = {squash(name): 1.0}
    if len(parts) > 1:
        keys.setdefault(squash(parts[0] + parts[1]), 0.8)
        keys.setdefault(squash(parts[0]), 0.7)
    for key, weight in list(keys.items()):
        if len(bare := key.rstrip("0123456789")) > 2:
            keys.setdefault(bare, weight * 0.9)
    return {key: weight for key, weight in keys.items() if len(key) > 1 and not key.isdigit()}


def _is_name(token: str) -> bool:
    if _NUMBER.fullmatch(token.lower()) or squash(token) in filler():
        return False
    return _oddity(token) > 0


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


@cache
def filler() -> frozenset[str]:
    """Words that say nothing about the field: articles, politeness, flourish, what every instruction is about."""
    table = tomllib.loads(files(__package__).joinpath("filler.toml").read_text(encoding="utf-8"))
    return frozenset(table["words"].split())
