"""The words of a repository: in how many passages of its documents each stands, and which name files or options."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ml_agent.matching.terms import words_of
from tools.index import RepoIndex

_MOST_OF_A_TEXT = 4000
_MOST_CHOICES = 20


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
    names = _terms(path.replace("/", " ") for path in index.files)
    others = _terms(
        [
            *(example.text for example in index.examples),
            *(one.doc for one in signatures),
            *(option.help for option in options),
        ]
    )
    return Vocabulary(said, len(index.passages), names, named, names | named | others | said.keys())


def _terms(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(term for text in texts for term in words_of(text[:_MOST_OF_A_TEXT]))
