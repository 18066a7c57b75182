"""What a request states, as the values that an answer must account for: each with the words around it that say what it is for."""

import re
from collections.abc import Iterator, Sequence

from ml_agent.matching.mentions import Mention, ParsedRequest, SpelledOption, is_introduced, read_request, starts_module
from ml_agent.matching.save_places import save_places
from ml_agent.request import Value, ValueKind
from ml_agent.values.context import words_around
from ml_agent.values.lexer import Token, is_path, unquoted
from ml_agent.values.lexicon import words
from ml_agent.values.numbers import number

_SMALL = 10
_WISHES = frozenset({"factor", "absence", "word"})
"""What says how a value is to be changed, or that something is to be left out, and is no value itself."""
_ARGUMENTS = re.compile(r"_(?:kw\w*a\w*gs|args|params)$")
"""How a collection of arguments is called in code."""
_REACH = 3
"""How many words a naming noun may be away from an odd word to make it a certain name."""


def stated_values(instruction: str, arguments: Sequence[tuple[str, str]] = ()) -> tuple[Value, ...]:
    """Every value of an instruction, in its order, after those given structurally.

    Args:
        instruction: what the user wrote.
        arguments: name and value of each argument that was given beside the instruction.
    """
    statement = read_request(instruction)
    spelled = [_of_spelled(statement, one) for one in statement.spelled]
    spans = [(one.start, max(one.end, value.end)) for one, value in zip(statement.spelled, spelled, strict=True)]
    found = [
        _of_mention(statement, one)
        for one in statement.mentions
        if _is_value(statement.tokens, one) and not any(start < one.end and one.start < end for start, end in spans)
    ]
    values = [*spelled, *_modules(statement.tokens), *found, *_named_places(statement, found)]
    given = (Value(text=f"{name}={value}", value=value, kind=kind_of(value), name=name) for name, value in arguments)
    return (*given, *sorted(values, key=lambda value: (value.start, value.end)))


def kind_of(text: str) -> ValueKind:
    """What kind of value a text is."""
    if number(text) is not None:
        return "number"
    if text.lower() in {"true", "false"}:
        return "switch"
    if is_path(text):
        return "path"
    return "text" if " " in text.strip() else "name"


def _of_spelled(statement: ParsedRequest, option: SpelledOption) -> Value:
    """`--name value`, `--name=value`, `name=value`, and `--switch`, which is true."""
    name, start, end = option.name.lstrip("-"), option.start, option.end
    if option.joined:
        text = unquoted(option.joined).strip("\"'")
        return Value(text=option.joined, value=text, kind=kind_of(text), start=start, end=end, name=name)
    behind = next((token for token in statement.tokens if token.start >= end and token.text != "="), None)
    if behind is None or behind.kind in {"mark", "flag"} or _is_prose(behind):
        return Value(text=option.name, value="true", kind="switch", start=start, end=end, name=name)
    kind = kind_of(behind.value)
    return Value(text=behind.text, value=behind.value, kind=kind, start=behind.start, end=behind.end, name=name)


def _modules(tokens: Sequence[Token]) -> Iterator[Value]:
    """What is called by `python -m MODULE`: no value of an option, but to be found in the answer."""
    for place, token in enumerate(tokens[2:], 2):
        if tokens[place - 1].value == "-m" and starts_module(tokens, place):
            yield Value(text=token.text, value=token.value, kind="name", start=token.start, end=token.end)


def _named_places(statement: ParsedRequest, found: Sequence[Value]) -> Iterator[Value]:
    """Plain words that are named as places to save to: guesses, since they may be no names of files."""
    known = {value.start for value in found}
    for place in save_places(statement):
        token = statement.tokens[place]
        if token.start not in known:
            near = tuple(words_around(statement.tokens, place, place))
            yield Value(text=token.text, value=token.value, kind="path", start=token.start, end=token.end, words=near, required=False)  # fmt: skip


def _is_prose(token: Token) -> bool:
    return token.kind == "word" and token.value.lower() in words("stop") | words("breaks") | words("option_nouns")


def _is_value(tokens: Sequence[Token], one: Mention) -> bool:
    """Whether a mention is one that an answer uses: no wish, no machine or language, no name of what has the number behind it."""
    if one.kind in _WISHES:
        return False
    common = one.value.lower() in words("common_names") | words("naming_nouns")
    counted = any(token.kind == "number" or token.text == "#" for token in tokens[one.last + 1 : one.last + 2])
    return one.kind != "name" or not (common or counted or _ARGUMENTS.search(one.value))


def _of_mention(statement: ParsedRequest, one: Mention) -> Value:
    inner = {token.value.lower() for token in statement.tokens[one.first : one.last + 1]}
    near = tuple(word for word in words_around(statement.tokens, one.first, one.last) if word not in inner)
    return Value(
        text=one.text,
        value=" ".join(one.parts) or one.value,
        kind=_kind(one),
        start=one.start,
        end=one.end,
        words=near if one.noun in {"", *words("stop")} else tuple(dict.fromkeys([one.noun, *near])),
        required=_is_certain(statement.tokens, one),
    )


def _kind(one: Mention) -> ValueKind:
    """A shape in brackets is a text."""
    return "text" if one.value[:1] in "([" or one.kind not in {"number", "path", "name"} else one.kind


def _is_certain(tokens: Sequence[Token], one: Mention) -> bool:
    """Whether the wording is that of a value; what else it may be, a part of a size or "two" of anything, is a guess."""
    if one.last > one.first or one.parts or one.whole:
        return False
    token = tokens[one.first]
    if one.kind == "number":
        return token.kind != "word" and not _is_small_word(token)
    return one.kind != "name" or token.kind == "quoted" or _is_named(tokens, one)


def _is_small_word(token: Token) -> bool:
    """Whether a number is a word like "two", which may count anything."""
    amount = number(token.value)
    return token.written and amount is not None and amount < _SMALL and amount == int(amount)


def _is_named(tokens: Sequence[Token], one: Mention) -> bool:
    """ "Chain A", "a dataset called x", "model wn18rr"."""
    lead = tokens[one.first - 1].value.lower() if one.first else ""
    if is_introduced(tokens, one.first) or (len(one.value) == 1 and lead in words("naming_nouns")):
        return True
    beside = (*tokens[max(0, one.first - _REACH) : one.first], *tokens[one.last + 1 : one.last + 1 + _REACH])
    near = {token.value.lower() for token in beside}
    return re.search(r"[\d_]", one.value) is not None and bool(near & words("certain_nouns"))
