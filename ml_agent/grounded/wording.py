"""The words of an instruction as they are compared with the words of a repository."""

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from ml_agent.matching.terms import canonical
from ml_agent.values.lexicon import words
from tools.retrieval import singular

_WORD = re.compile(r"[A-Za-z]+\d*|\d+")
_CLAUSE = re.compile(r"[.!?;](?:\s|$)|[,:](?=\s)")
_KIN, _SHARED = 5, 8


class Wording(msgspec.Struct, frozen=True, kw_only=True):
    """An instruction, cut into clauses of lower-case words."""

    clauses: tuple[tuple[str, ...], ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """All words, in their order."""
        return tuple(word for clause in self.clauses for word in clause)


@lru_cache(maxsize=64)
def wording_of(text: str) -> Wording:
    """The wording of a text."""
    return Wording(clauses=tuple(tuple(split(clause)) for clause in _CLAUSE.split(text) if clause.strip()))


def split(text: str) -> list[str]:
    """The words of a text or of an identifier, lower case: "Kneser-Ney" is two words."""
    return [word.lower() for word in _WORD.findall(text)]


def content(text: str) -> tuple[str, ...]:
    """The words of a text that mean something, each once."""
    return tuple(dict.fromkeys(word for word in split(text) if len(word) > 1 and word not in words("stop")))


@lru_cache(maxsize=20_000)
def akin(left: str, right: str) -> bool:
    """Whether two words are forms of one: "hierarchically" and "hierarchical", "coordinates" and "coordinate"."""
    if left == right or singular(left) == singular(right) or canonical(left) == canonical(right):
        return True
    shorter, longer = sorted((left, right), key=len)
    if len(shorter) < _KIN:
        return False
    stem = shorter.rstrip("e") if len(shorter) > _KIN else shorter
    return longer.startswith(stem) or (len(shorter) >= _SHARED and longer[: _SHARED - 1] == shorter[: _SHARED - 1])


def said(word: str, by: Sequence[str]) -> bool:
    """Whether one of the words is a form of this one."""
    return any(akin(word, other) for other in by)
