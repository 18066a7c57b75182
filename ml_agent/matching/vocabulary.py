"""The words of a repository: in how many passages of its documents each stands, and which name files or options."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ml_agent.matching.terms import terms, words_of
from ml_agent.tools.index import RepoIndex

_MOST_OF_A_TEXT = 4000
_MOST_CHOICES = 20
_WORD = re.compile(r"[A-Za-z0-9_-]+")
_PARTS = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]|[A-Za-z0-9][-_][A-Za-z0-9]")
"""Where a name has several parts: TextRank, NAFNet, text-rank, text_rank."""
_LONGEST = 60


class Vocabulary(NamedTuple):
    """The terms that a repository uses."""

    said: Mapping[str, int]
    """By term: how many passages of the documents have it."""
    passages: int
    files: frozenset[str]
    """Terms of the names of files and folders."""
    options: frozenset[str]
    """Terms of the names and choices of options."""
    known: frozenset[str]
    """These, and those of examples, of docstrings and of what is said of options."""


def vocabulary_of(index: RepoIndex) -> Vocabulary:
    """The words of a repository."""
    said = Counter(term for passage in index.passages for term in _terms([passage.text]))
    signatures = [one for several in index.signatures.values() for one in several]
    options = [option for one in signatures for option in one.options]
    named = _terms(f"{option.dest} {' '.join(option.choices[:_MOST_CHOICES])}" for option in options)
    names = _terms([index.root.name, *(path.replace("/", " ") for path in index.files)])
    others = _terms(
        [
            *(example.text for example in index.examples),
            *(one.doc for one in signatures),
            *(option.help for option in options),
        ]
    )
    return Vocabulary(said, len(index.passages), names, named, names | named | others | said.keys())


def _terms(texts: Iterable[str]) -> frozenset[str]:
    cut = [text[:_MOST_OF_A_TEXT] for text in texts]
    return frozenset(term for text in cut for term in (*words_of(text), *_names_in_one(text)))


def _names_in_one(text: str) -> Iterable[str]:
    """The names of several parts as who is in a hurry types them: "textrank" for TextRank."""
    names = (word for word in _WORD.findall(text) if len(word) < _LONGEST and _PARTS.search(word))
    return (term for name in names for term in terms(re.sub(r"[-_]", "", name).lower()))
