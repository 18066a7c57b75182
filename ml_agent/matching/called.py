"""Options that a request calls by their names, right before their values."""

from collections.abc import Sequence
from functools import lru_cache

from ml_agent.matching.mentions import ParsedRequest, Word

_LINKS = frozenset(
    ["to", "of", "is", "be", "should", "must", "as", "=", ":", "the", "a", "an", "at", "equals", "being"]
)
_INSIDE = frozenset({"of", "the", "-"})
"""What stands inside a name: "number of iterations"."""
_FARTHEST = 24
"""Tokens before a value: no name is longer."""


@lru_cache(maxsize=64)
def _content(statement: ParsedRequest) -> dict[int, Word]:
    return {word.place: word for word in statement.content}


def words_before(statement: ParsedRequest, place: int) -> tuple[Word, ...]:
    """The content words right before a token, the nearest last; what links them to it ("should be") is left out."""
    content = _content(statement)
    found: list[Word] = []
    for at in range(place - 1, max(-1, place - 1 - _FARTHEST), -1):
        token = statement.tokens[at]
        if at in content and token.kind in {"word", "name"}:
            found.insert(0, content[at])
        elif token.value.lower() not in (_INSIDE if found else _LINKS):
            break
    return tuple(found)


def ends_with(before: Sequence[Word], name: Sequence[str]) -> bool:
    """Whether words end with a name."""
    last = before[len(before) - len(name) :]
    return len(last) == len(name) > 0 and all(term in said.terms for term, said in zip(name, last, strict=True))
