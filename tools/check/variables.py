"""Variables that bash text surely sets itself, and loops over literal words, written out."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ml_agent.tools.commandline.invocation import ASSIGNMENT
from ml_agent.tools.commandline.lexer import Token, lex

MAX_BYTES = 10_000
"""A longer text is left as it is written."""
MOST_VALUES = 20
"""Words of a loop that are put in."""
_USE = re.compile(r"'[^']*'|\\.|\$(?:(\w+)|\{(\w+)\})", re.DOTALL)
"""Quotes and escapes that keep a dollar from its meaning, and uses of a variable."""
_LITERAL = re.compile(r"[\w.,:/=+@%-][\w.,:/=+@% -]*|")
_OPENS = frozenset({"if", "while", "until", "case", "select", "{", "function"})
_CLOSES = frozenset({"fi", "done", "esac", "}"})
_GO_ON = frozenset({"then", "do", "else", "elif", "!"})
_DECLARES = frozenset({"export", "declare", "readonly", "typeset"})
_PREPARES = frozenset({"cd", "pushd", "mkdir"})
"""Commands whose failure ends what is behind `&&` in any case."""
_MAY_SET_ANY = frozenset({"eval", "source", "."})


class _Command(NamedTuple):
    """The words of a simple command by their places, and the operators around it."""

    words: tuple[int, ...]
    before: str
    after: str
    depth: int
    """How many parentheses stand around it."""


class _Setting(NamedTuple):
    """A variable gets a value, or one after the other."""

    place: int
    """Of the word that names it."""
    name: str
    words: tuple[int, ...]
    """Places of the words of a loop; of none where it is an assignment."""
    end: int
    """Place behind which it is not known any more."""


def written_out(text: str) -> list[str]:
    """The text with the values of its own variables in their places: once for each value that the loops give them.

    A variable that is set under a condition, by another command or from elsewhere stays as it is written.
    """
    if len(text) > MAX_BYTES:
        return [text]
    tokens = list(lex(text))
    if not any(_USE.search(token.raw) for token in tokens) or _may_set_any(tokens):
        return [text]
    settings = {setting.place: setting for setting in _settings(tokens)}
    sure = {place: one for place, one in settings.items() if not _set_elsewhere(one.name, tokens, settings.keys())}
    rounds = max((min(len(one.words), MOST_VALUES) for one in sure.values()), default=1)
    return list(dict.fromkeys(_put_in(tokens, sure, number) for number in range(max(rounds, 1))))


def _put_in(tokens: Sequence[Token], settings: dict[int, _Setting], number: int) -> str:
    """The text with all values put in; of loops the one of a number."""
    known: dict[str, tuple[str, int]] = {}
    written: list[str] = []
    for place, token in enumerate(tokens):
        values = {name: value for name, (value, end) in known.items() if place < end}
        raw = _with_values(token.raw, values) if token.kind in ("word", "redirect") else token.raw
        splits = " " in raw and ASSIGNMENT.match(token.raw)  # bash does not split there
        written.append(token.gap + (token.raw if splits else raw))
        setting = settings.get(place)
        if setting is None:
            continue
        if setting.words:
            value: str | None = _literal(_with_values(tokens[setting.words[number % len(setting.words)]].raw, values))
        else:
            value = _literal(raw.partition("=")[2])
        known.pop(setting.name, None)
        if value is not None:
            known[setting.name] = (value, setting.end)
    return "".join(written)


def _with_values(raw: str, values: dict[str, str]) -> str:
    return _USE.sub(lambda match: values.get(match[1] or match[2], match[0]), raw)


def _literal(raw: str) -> str | None:
    """A word without its quotes where it stands for itself; None where bash makes something of it."""
    bare = raw[1:-1] if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "'\"" else raw
    return bare if _LITERAL.fullmatch(bare) else None


def _may_set_any(tokens: Sequence[Token]) -> bool:
    """Whether other text is carried out here, which may set any variable."""
    firsts = (place for command in _commands(tokens) for place in command.words[:2])
    return any(tokens[p].raw in _MAY_SET_ANY and not _is_argument(tokens, p) for p in firsts)


def _is_argument(tokens: Sequence[Token], place: int) -> bool:
    before = tokens[place - 1] if place else None
    return before is not None and before.kind == "word" and before.raw not in _OPENS | _GO_ON


def _set_elsewhere(name: str, tokens: Sequence[Token], sure: Collection[int]) -> bool:
    """Whether a word may set a variable in another way: under a condition, `read NAME`, `NAME+=…`, `((NAME++))`."""
    sets = re.compile(rf"{name}(?:\+?=.*|\[.*|\+\+|--)?", re.DOTALL)
    return any(t.kind == "word" and p not in sure and sets.fullmatch(t.value) for p, t in enumerate(tokens))


def _settings(tokens: Sequence[Token]) -> Iterator[_Setting]:
    """The assignments that are surely carried out, and the loops."""
    open_: list[int] = []
    chained = True  # everything before on this line was sure to be carried out
    commands = list(_commands(tokens))
    for number, command in enumerate(commands):
        words = list(command.words)
        chained = command.before in ("", ";", "\n") or (chained and command.before == "&&")
        while words and tokens[words[0]].raw in _OPENS | _CLOSES | _GO_ON:
            raw = tokens[words.pop(0)].raw
            open_ += [number] * (raw in _OPENS)
            del open_[len(open_) - (raw in _CLOSES) :]
        raws = [tokens[place].raw for place in words]
        if raws[:1] == ["for"]:
            open_.append(number)
            if raws[2:3] == ["in"] and len(words) > 3:
                yield _Setting(words[1], raws[1], tuple(words[3:]), _end_of_loop(tokens, words[0]))
            continue
        given = words[1:] if raws[:1] and raws[0] in _DECLARES else words
        assigns = bool(given) and all(ASSIGNMENT.match(tokens[place].raw) for place in given)
        if assigns and chained and not open_ and not command.depth and command.after in ("", ";", "\n", "&&"):
            for place in given:
                name, sign, _ = ASSIGNMENT.match(tokens[place].raw).groups()  # type: ignore[union-attr]
                if sign == "=":
                    yield _Setting(place, name, (), len(tokens))
        chained = chained and (assigns or (bool(raws) and raws[0] in _PREPARES))


def _end_of_loop(tokens: Sequence[Token], start: int) -> int:
    """The place of the `done` that ends the loop which begins at a place."""
    depth = 0
    for place in range(start, len(tokens)):
        depth += tokens[place].raw in ("for", "while", "until", "select")
        depth -= tokens[place].raw == "done"
        if depth == 0:
            return place
    return len(tokens)


def _commands(tokens: Sequence[Token]) -> Iterator[_Command]:
    words: list[int] = []
    before, depth = "", 0
    for place, token in enumerate(tokens):
        if token.kind == "word":
            words.append(place)
        elif token.kind in ("operator", "end"):
            sign = "\n" if "\n" in token.raw else token.raw
            if words:
                yield _Command(tuple(words), before, sign, depth)
            depth = max(0, depth + (sign == "(") - (sign == ")"))
            if words or sign not in ("\n", ""):
                before = sign
            words = []
