"""Names of models, data sets, tasks: by their spelling, or by the nouns beside them."""

import re
from collections.abc import Iterator, Sequence

from ml_agent.request import Value
from ml_agent.values.context import around
from ml_agent.values.lexer import Token, is_odd
from ml_agent.values.lexicon import words

_LONGEST_PHRASE = 4
_REACH = 3
"""How many words a naming noun may be away from an odd word to make it a certain name."""


def find_names(tokens: Sequence[Token], taken: set[int]) -> Iterator[Value]:
    """Names; certain (required) only where the wording says that it is one: "the dataset named X", "model wn18rr"."""
    for place, token in enumerate(tokens):
        if place in taken or token.kind not in {"word", "name"}:
            continue
        behind = tokens[place + 1] if place + 1 < len(tokens) else None
        if behind is not None and (behind.kind == "number" or behind.text == "#"):
            continue
        if _is_letter(tokens, place):
            yield _name(tokens, place, required=True)
            continue
        if _is_common(token) or is_argument_name(token.value):
            continue
        if _is_named(tokens, place):
            yield _name(tokens, place, required=True)
        elif token.kind == "name":
            yield _name(tokens, place, required=_is_certain(tokens, place))
        elif _is_capitalised(tokens, place) or _follows_noun(tokens, place):
            yield _name(tokens, place, required=False)
    yield from _phrases(tokens, taken)


def is_argument_name(text: str) -> bool:
    """Whether a name is that of a collection of arguments in code: "if_II_kwargs"."""
    return re.search(r"_(?:kw\w*a\w*gs|args|params)$", text) is not None


def _is_common(token: Token) -> bool:
    return token.value.lower() in words("stop") | words("breaks") | words("naming_nouns") | words(
        "option_nouns"
    ) | words("common_names")


def _is_letter(tokens: Sequence[Token], place: int) -> bool:
    """A single capital right behind a naming noun: "chain A"."""
    value = tokens[place].value
    return (
        len(value) == 1
        and value.isupper()
        and value != "I"
        and place > 0
        and tokens[place - 1].value.lower() in words("naming_nouns")
    )


def _is_named(tokens: Sequence[Token], place: int) -> bool:
    """ "named X", "known as X"; but behind an article the word is an adjective: "the labelled reviews"."""
    lead = [token.value.lower() for token in tokens[max(0, place - 2) : place] if token.kind == "word"]
    if lead[:-1] and lead[-2] in words("articles"):
        return False
    return bool(lead) and (lead[-1] in words("naming_verbs") or lead[-2:] == ["known", "as"])


def _is_certain(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if not any(letter.isdigit() or letter == "_" for letter in token.value):
        return False
    near = [
        other.value.lower()
        for other in (*tokens[max(0, place - _REACH) : place], *tokens[place + 1 : place + 1 + _REACH])
    ]
    return any(word in words("certain_nouns") for word in near)


def _is_capitalised(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if not token.value[:1].isupper() or token.value == "I" or place == 0:
        return False
    lead = tokens[place - 1]
    return not (lead.kind == "mark" and lead.text in ".!?:")


def _follows_noun(tokens: Sequence[Token], place: int) -> bool:
    """ "model albef", "dataset gowalla", "the dataset, ogbn-arxiv": a word right behind a naming noun."""
    lead = place - 1 if place and tokens[place - 1].text not in {",", ":", "-", "("} else place - 2
    return lead >= 0 and tokens[lead].value.lower() in words("certain_nouns") and tokens[place].value.islower()


def _phrases(tokens: Sequence[Token], taken: set[int]) -> Iterator[Value]:
    """ "anomaly detection task": the words right before a naming noun, as one guess for each length."""
    for place, token in enumerate(tokens):
        if token.kind != "word" or token.value.lower() not in words("naming_nouns"):
            continue
        first = place
        while first > 0 and place - first < _LONGEST_PHRASE and _is_part(tokens[first - 1]) and first - 1 not in taken:
            first -= 1
        for start in range(first, place):
            alone = start == place - 1
            if _is_spelled(tokens, place - 1) if alone else _is_spelled(tokens, start + 1):
                continue
            yield _name(tokens, start, last=place - 1, required=False)


def _is_spelled(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word has been found by its spelling; a phrase of such a word and an adjective says nothing new."""
    return is_odd(tokens[place].value)


def _is_part(token: Token) -> bool:
    if token.kind not in {"word", "name"}:
        return False
    return token.value.lower() not in words("stop") | words("breaks")


def _name(tokens: Sequence[Token], place: int, *, last: int = -1, required: bool) -> Value:
    final = max(place, last)
    parts = tokens[place : final + 1]
    value = " ".join(part.value for part in parts)
    inner = {part.value.lower() for part in parts}
    near = around(tokens, final)
    return Value(
        text=" ".join(part.text for part in parts),
        value=value,
        kind="name",
        start=parts[0].start,
        end=parts[-1].end,
        words=tuple(word for word in near if word not in inner),
        required=required,
    )
