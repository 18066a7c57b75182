"""Values from the wording of an instruction."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from ml_agent.request import Value, ValueKind
from ml_agent.values.context import around, followed_by_noun, only_joined
from ml_agent.values.lexer import Token, is_path
from ml_agent.values.lexicon import words
from ml_agent.values.names import find_names, is_argument_name
from ml_agent.values.numbers import number
from ml_agent.values.phrases import grams, with_phrases
from ml_agent.values.readings import tokens_of, uncoded

_SMALL = 10


def structural(arguments: Sequence[tuple[str, str]]) -> tuple[Value, ...]:
    """The values given as NAME=VALUE; they are as certain as can be."""
    return tuple(
        Value(text=f"{name}={value}", value=value, kind=kind_of(value), name=name) for name, value in arguments
    )


def extract(instruction: str, arguments: Sequence[tuple[str, str]] = ()) -> tuple[Value, ...]:
    """Every value in the instruction, in its order, after those given structurally.

    Args:
        instruction: what the user wrote.
        arguments: name and value of each argument that was given beside the instruction.
    """
    tokens = tokens_of(uncoded(instruction))
    taken: set[int] = set()
    found: list[Value] = []
    finders: tuple[Callable[[Sequence[Token], set[int]], Iterator[Value]], ...] = (
        _flags, _assignments, _literals, _numbers, _repeats, find_names,
    )  # fmt: skip
    for finder in finders:
        found.extend(finder(tokens, taken))
    found = [*with_phrases(found, instruction), *grams(instruction)]
    found.sort(key=lambda value: (value.start, value.end))
    return structural(arguments) + tuple(found)


def kind_of(text: str) -> ValueKind:
    """What kind of value a text is."""
    if number(text) is not None:
        return "number"
    if text.lower() in {"true", "false"}:
        return "switch"
    if is_path(text):
        return "path"
    return "text" if " " in text.strip() else "name"


def _flags(tokens: Sequence[Token], taken: set[int]) -> Iterator[Value]:
    """`--name value`, `--name=value` and `--switch`."""
    for place, token in enumerate(tokens):
        if token.kind != "flag":
            continue
        taken.add(place)
        behind = place + 1
        if behind < len(tokens) and tokens[behind].text == "=":
            taken.add(behind)
            behind += 1
        given = tokens[behind] if behind < len(tokens) else None
        if given is None or given.kind in {"mark", "flag"} or _is_prose(given):
            yield _value(tokens, place, _Reading("true", "switch", token.value))
            continue
        taken.add(behind)
        yield _value(tokens, behind, _Reading(given.value, kind_of(given.value), token.value))


def _is_prose(token: Token) -> bool:
    return token.kind == "word" and token.value.lower() in words("stop") | words("breaks") | words("option_nouns")


def _assignments(tokens: Sequence[Token], taken: set[int]) -> Iterator[Value]:
    """`name=value`."""
    for place in range(1, len(tokens) - 1):
        name, given = tokens[place - 1], tokens[place + 1]
        if tokens[place].text != "=" or place in taken or name.kind not in {"word", "name"} or given.kind == "mark":
            continue
        taken.update((place - 1, place, place + 1))
        yield _value(tokens, place + 1, _Reading(given.value, kind_of(given.value), name.value))


def _literals(tokens: Sequence[Token], taken: set[int]) -> Iterator[Value]:
    """Quoted strings, paths and shapes."""
    for place, token in enumerate(tokens):
        if place in taken or token.kind not in {"quoted", "path", "shape"}:
            continue
        taken.add(place)
        if token.kind == "shape":
            yield _value(tokens, place, _Reading(token.value, "text"))
        elif not _names_an_option(tokens, place):
            kind = "path" if token.kind == "path" or set(token.value) <= set("./") else kind_of(token.value)
            yield _value(tokens, place, _Reading(token.value, kind))


def _names_an_option(tokens: Sequence[Token], place: int) -> bool:
    """Whether a quoted word is the name of a parameter: "the 'guidance_scale' parameter", "'x' set to 5"."""
    if not re.fullmatch(r"[A-Za-z_][\w.-]*", tokens[place].value):
        return False
    if is_argument_name(tokens[place].value):
        return True
    near = [*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2]]
    if any(token.value.lower() in words("option_nouns") for token in near):
        return True
    linked = False
    for token in tokens[place + 1 : place + 9]:
        word = token.value.lower()
        if word not in words("linkers") | words("stop"):
            return linked and token.kind in {"number", "quoted"}
        linked = linked or word in words("linkers")
    return False


def _numbers(tokens: Sequence[Token], taken: set[int]) -> Iterator[Value]:
    """Numbers, ranges and series of numbers, and "a single ..."."""
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token.kind == "word" and token.value.lower() in words("singles") and followed_by_noun(tokens, place):
            yield _value(tokens, place, _Reading("1", "number", required=False))
        if token.kind != "number" or place in taken or (_is_small_word(token) and not followed_by_noun(tokens, place)):
            place += 1
            continue
        taken.add(place)
        yield _value(tokens, place, _Reading(token.value, "number", required=not _is_small_word(token)))
        last = _series_end(tokens, place)
        if last > place:
            numbers = [tokens[at].value for at in range(place, last + 1) if tokens[at].kind == "number"]
            series = _value(tokens, place, _Reading(" ".join(numbers), "number", required=False), last)
            to = any(tokens[at].value.lower() == "to" for at in range(place, last))
            yield msgspec.structs.replace(series, words=("range", *series.words)) if to else series
        place += 1


def _is_small_word(token: Token) -> bool:
    """Whether a number is a word like "two", which may count anything: a guess."""
    amount = number(token.value)
    return token.written and amount is not None and amount < _SMALL and amount == int(amount)


def _series_end(tokens: Sequence[Token], first: int) -> int:
    """The place of the last number of a range or a series that begins here: "between 0 and 0.5", "12 and 6 neurons"."""
    if first and tokens[first - 1].value.lower() in {"and", "to"} and first > 1 and tokens[first - 2].kind == "number":
        return first
    last = first
    for at in range(first + 1, len(tokens)):
        if tokens[at].kind == "number" and only_joined(tokens[last + 1 : at]):
            last = at
        elif at - last > 2:
            break
    return last


def _repeats(tokens: Sequence[Token], taken: set[int]) -> Iterator[Value]:
    """ "an equal number of warm-up steps": the number before it, for something else."""
    previous: Token | None = None
    for place, token in enumerate(tokens):
        if token.kind == "number":
            previous = token
        pair = tokens[place : place + 2]
        if previous is None or len(pair) < 2 or token.value.lower() not in words("repeats"):
            continue
        if pair[1].value.lower() in words("repeated"):
            yield _value(tokens, place, _Reading(previous.value, "number", required=False), place + 1)


class _Reading(NamedTuple):
    """How a stretch of tokens is read."""

    value: str
    kind: ValueKind
    name: str = ""
    required: bool = True


def _value(tokens: Sequence[Token], place: int, reading: _Reading, last: int = -1) -> Value:
    """The value that stands at a place, or from there to `last`."""
    end = max(place, last)
    near = () if reading.name else _without_token(around(tokens, place, end), tokens[place])
    return Value(
        text=_text(tokens, place, end),
        value=reading.value,
        kind=reading.kind,
        start=tokens[place].start,
        end=tokens[end].end,
        words=near,
        name=reading.name.lstrip("-"),
        required=reading.required,
    )


def _text(tokens: Sequence[Token], first: int, last: int) -> str:
    return " ".join(token.text for token in tokens[first : last + 1])


def _without_token(near: tuple[str, ...], token: Token) -> tuple[str, ...]:
    return tuple(word for word in near if word != token.value.lower())
