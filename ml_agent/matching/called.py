"""Options that a request calls by their names, right before their values."""

from collections.abc import Sequence
from functools import lru_cache

from ml_agent.matching.mention import mention_of_tokens
from ml_agent.matching.mentions import Mention, ParsedRequest, Word
from ml_agent.matching.slots import Slot
from ml_agent.values.lexer import Token
from ml_agent.values.lexicon import words

_LINKS = frozenset(
    ["to", "of", "is", "be", "should", "must", "as", "=", ":", "the", "a", "an", "at", "equals", "being"]
)
_INSIDE = frozenset({"of", "the", "-"})
"""What stands inside a name: "number of iterations"."""
_GIVING = frozenset({"to", "is", "be", "as", "=", "equals"})
"""What stands between the name of an option and its value, and nowhere else behind that name."""
_BEHIND = frozenset({"and", "or", "but", "with", "while", "then"})


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


def values_after_name(statement: ParsedRequest, slot: Slot) -> list[Mention]:
    """The plain words that a request gives a slot by its whole name: "the eval mode to local"."""
    if slot.option.type not in {"str", "unknown", "json"} or slot.closed or slot.numeric_default is not None:
        return []
    return [
        mention
        for before, mention in _word_values(statement)
        if any(len(name) == len(before) and ends_with(before, name) for name in slot.names)
    ]


@lru_cache(maxsize=512)
def _word_values(statement: ParsedRequest) -> tuple[tuple[tuple[Word, ...], Mention], ...]:
    """Every plain word behind "to", "be" and the like that ends its clause, with the words before."""
    found = []
    stated = {at for one in statement.mentions for at in range(one.first, one.last + 1)}
    for at, token in enumerate(statement.tokens):
        if at == 0 or at in stated or statement.tokens[at - 1].value.lower() not in _GIVING or not _is_plain(token):
            continue
        behind = statement.tokens[at + 1 : at + 2]
        if behind and behind[0].kind != "mark" and behind[0].value.lower() not in _BEHIND:
            continue
        before = words_before(statement, at)
        if before:
            found.append(
                (before, mention_of_tokens(statement.text, statement.tokens, at, at, kind="name", value=token.value))
            )
    return tuple(found)


def _is_plain(token: Token) -> bool:
    return token.kind == "word" and token.value.isalpha() and token.value.lower() not in words("stop")
