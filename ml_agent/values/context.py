"""The words around a value that say what it is for."""

from collections.abc import Sequence

from ml_agent.values.lexer import Token
from ml_agent.values.lexicon import words

_MOST = 10
_VALUE_KINDS = frozenset({"number", "quoted", "path", "shape", "flag"})
_FAR_OFF, _ENOUGH = 5, 2
"""Beyond so many words nothing more is taken where so many nearer ones have been."""
_STRETCH = 3
"""What a comma, an "and" or a bracket costs, in words."""


def around(tokens: Sequence[Token], first: int, last: int) -> tuple[str, ...]:
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
