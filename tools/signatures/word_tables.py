"""Converters that look the word up in a table and refuse all others: `{"True": True, "False": False}[word]`."""

import ast
from collections.abc import Iterator

from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.number_words import MAX_NODES, OTHERS, REFUSED
from ml_agent.tools.signatures.values import UNKNOWN, Frame, Function, Value
from ml_agent.tools.signatures.words import NO_CASE

MAX_WORDS = 50
_NUMBERS = ("0", "1", "0.5", "-1", "a,b", "yes", "no", "t", "f")


def table_words(run: Interpreter, converter: Value) -> tuple[tuple[str, ...], str]:
    """The only words that a converter takes, and how they are compared (NO_CASE, or "" for to the letter).

    Returns ((), "") for any other converter, and where that is not certain.
    """
    if not isinstance(converter, Function):
        return (), ""
    for words in _tables(run, converter):
        if 0 < len(words) <= MAX_WORDS and all(_takes(run, converter, word) for word in words):
            fold = _fold(run, converter, words)
            if fold is not None:
                return words, fold
    return (), ""


def _tables(run: Interpreter, function: Function) -> Iterator[tuple[str, ...]]:
    """The keys of each dict that a function writes out or names."""
    nodes = list(ast.walk(function.node))
    frame = Frame(function.module, {}, function.frame)
    for node in nodes if len(nodes) <= MAX_NODES else ():
        keys: list[Value] = []
        if isinstance(node, ast.Dict):
            keys = [key.value if isinstance(key, ast.Constant) else UNKNOWN for key in node.keys]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            named = run.look_up(node.id, frame)
            keys = list(named) if isinstance(named, dict) else []
        if all(isinstance(key, str) for key in keys):
            yield tuple(dict.fromkeys(keys))


def _fold(run: Interpreter, function: Function, words: tuple[str, ...]) -> str | None:
    """How words are compared; None where others than these may be taken."""
    folded = {word.lower() for word in words}
    cased = {form for word in words for form in (word.upper(), word.lower(), word.title())} - {*words}
    taken = [_takes(run, function, form) for form in sorted(cased)]
    if any(taken) and not all(taken):
        return None
    near = (form for word in words for form in (f"{word}x", f"x{word}", word[:-1], f"{word},{word}", f"{word}=1"))
    texts = (node.value for node in ast.walk(function.node) if isinstance(node, ast.Constant))
    others = {*OTHERS, *_NUMBERS, *near, *(text for text in texts if isinstance(text, str))}
    known = folded if any(taken) else {*words}
    strange = [word for word in others if (word.lower() if any(taken) else word) not in known]
    refused = all(run.try_call(function, word, refused=REFUSED) is REFUSED for word in strange if word not in cased)
    return (NO_CASE if any(taken) else "") if refused else None


def _takes(run: Interpreter, function: Function, word: str) -> bool:
    """Whether a converter certainly makes something of a word."""
    made = run.try_call(function, word, refused=REFUSED)
    return made is not REFUSED and made is not UNKNOWN
