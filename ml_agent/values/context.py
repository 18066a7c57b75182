"""The words around a value that say what it is for."""

import re
from collections.abc import Sequence

from ml_agent.request import Value
from ml_agent.values.lexer import Token
from ml_agent.values.lexicon import words

_MOST = 10
_VALUE_KINDS = frozenset({"number", "quoted", "path", "shape", "flag"})
_FAR_OFF, _ENOUGH = 5, 2
"""Beyond so many words nothing more is taken where so many nearer ones have been."""
_STRETCH = 3
"""What a comma, an "and" or a bracket costs, in words."""

_BESIDE = 4
"""Words before a value that may say what it is for."""


def words_around(tokens: Sequence[Token], first: int, last: int) -> tuple[str, ...]:
    """The meaningful words around the tokens from `first` to `last`, nearest first, lower case.

    Words in front of a value reach further than words behind it: what stands behind a comma or an "and" belongs to what
    comes next.
    """
    scored = sorted([*_before(tokens, first), *_behind(tokens, last)], key=lambda pair: pair[0])
    seen: dict[str, None] = {}
    for cost, word in scored:
        if cost > _FAR_OFF and len(seen) >= _ENOUGH:
            break
        seen.setdefault(word)
    return tuple(seen)[:_MOST]


def _before(tokens: Sequence[Token], place: int) -> list[tuple[float, str]]:
    found: list[tuple[float, str]] = []
    cost = 0.0
    at = place - 1
    while at >= 0 and cost <= _MOST:
        token = tokens[at]
        if _ends_sentence(token) or token.kind in _VALUE_KINDS - {"quoted"}:
            break
        word = token.value.lower()
        if token.text == "," and not found:
            # "The learning rate, an essential parameter, should be 0.1": the subject stands before the aside.
            at = _aside(tokens, at)
        elif token.kind == "mark":
            cost += _STRETCH if token.text in ",;:()–—" and found else 0.0
        elif token.kind == "word" and word in words("stop"):
            cost += _STRETCH if word in words("breaks") and found else 0.0
        elif token.kind == "quoted" and " " in word:
            break
        else:
            found.append((cost, word))
            cost += 1
        at -= 1
    return found


def _aside(tokens: Sequence[Token], comma: int) -> int:
    """The place of the comma that opens what the comma at this place closes; that place itself where there is none."""
    for at in range(comma - 1, max(-1, comma - _MOST), -1):
        if _ends_sentence(tokens[at]) or tokens[at].kind in _VALUE_KINDS:
            break
        if tokens[at].text == ",":
            return at
    return comma


def _behind(tokens: Sequence[Token], place: int) -> list[tuple[float, str]]:
    found: list[tuple[float, str]] = []
    counts = tokens[place].kind == "number" or tokens[place].value.lower() in words("singles")
    cost = 0.5 if counts else 1.5
    for token in tokens[place + 1 :]:
        if _ends_sentence(token) or token.kind in _VALUE_KINDS:
            break
        if token.kind == "mark":
            if token.text in ",;:(–—":
                break
            continue
        word = token.value.lower()
        if token.kind == "word" and word in words("breaks"):
            break
        if token.kind == "word" and word in words("stop"):
            cost += 1
            continue
        found.append((cost, word))
        cost += 1
        if cost > _MOST:
            break
    return found


def _ends_sentence(token: Token) -> bool:
    return token.kind == "mark" and token.text in ".!?"


def purpose(value: Value, instruction: str) -> tuple[str, ...]:
    """The word right behind a number ("25 epochs"), else the last two telling words before a value ("learning rate of 0.05")."""
    counted = counted_noun(value, instruction)
    if counted:
        return (counted,)
    before = re.findall(r"[\w-]+", instruction[: max(value.start, 0)])[-_BESIDE:]
    return tuple(word for word in before if word.lower() in value.words)[-2:]


def counted_noun(value: Value, instruction: str) -> str:
    """The word right behind a number; "" where none of its words stands there."""
    behind = (
        re.match(r"[\s-]+([A-Za-z]+)", instruction[value.end :]) if value.kind == "number" and value.end > 0 else None
    )
    return behind[1] if behind is not None and behind[1].lower() in value.words else ""
