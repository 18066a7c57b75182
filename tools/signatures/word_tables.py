"""Converters that look the word up in a table and refuse all others: `{"True": True, "False": False}[word]`."""

import ast
import builtins
from collections.abc import Iterator

from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.values import UNKNOWN, External, Frame, Function, Value
from ml_agent.tools.signatures.words import JOINED, NO_CASE, are_numbers

MARKS = (",", "-", ":", ";", "/", "x", "+", "|", " ")
OTHERS = (
    "", "a", "abc", "a.csv", "data/a.csv", "none", "None", "null", "auto", "all", "any", "true", "True", "False", "default",
    "max", "[1]", "(1)", "1k", "1%", "0x10", "1e3", "1.5", "1..3", "2**3", "=1", "a=1", "'1'",
)  # fmt: skip
"""Words that a converter may have a meaning of its own for."""
FEW = ("{0}1", "1{0}", "1{0}2", "1{0} 2", "1.5{0}2.5", "1{0}a", "a{0}1", "[1{0}2]", "(1{0}2)", "1{0}{0}2")
MAX_NODES = 300
REFUSED = object()


def number_form(run: Interpreter, function: Function) -> str:
    """The converter's form, as words say it (`int joined by ,`); "" for another, or where that is not certain."""
    nodes = list(ast.walk(function.node))
    if len(nodes) > MAX_NODES or not _is_closed(run, function, nodes):
        return ""
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    marks = [
        mark for mark in MARKS if _converts(run, function, f"1{mark}2") and _converts(run, function, f"3{mark}4{mark}5")
    ]
    if len(marks) != 1:
        return ""
    words = [*OTHERS, *texts, *(pattern.format(mark) for mark in MARKS for pattern in FEW)]
    refused = {word for word in words if run.try_call(function, word, refused=REFUSED) is REFUSED}
    for kind in ("int", "float"):
        form = f"{kind}{JOINED}{marks[0]}"
        if all(word in refused for word in words if not are_numbers(form, word)):
            return form
    return ""


def _converts(run: Interpreter, function: Function, word: str) -> bool:
    """Whether a converter certainly makes something of a word."""
    made = run.try_call(function, word)
    return made is not None and made is not UNKNOWN


def _is_closed(run: Interpreter, function: Function, nodes: list[ast.AST]) -> bool:
    """Whether a converter needs nothing of its module: no table that may have words of its own."""
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
    foreign = {node.id for node in names} - own - set(dir(builtins))
    frame = Frame(function.module, {}, function.frame)
    return all(isinstance(run.look_up(name, frame), External) for name in foreign)


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
