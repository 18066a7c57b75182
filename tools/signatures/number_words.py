"""Converters that take a word apart at a mark and make a number of every part: `[int(n) for n in text.split(",")]`."""

import ast
import builtins

from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.values import UNKNOWN, External, Frame, Function
from ml_agent.tools.signatures.words import JOINED, are_numbers

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
    marks = [mark for mark in MARKS if _takes(run, function, f"1{mark}2") and _takes(run, function, f"3{mark}4{mark}5")]
    if len(marks) != 1:
        return ""
    words = [*OTHERS, *texts, *(pattern.format(mark) for mark in MARKS for pattern in FEW)]
    refused = {word for word in words if run.try_call(function, word, refused=REFUSED) is REFUSED}
    for kind in ("int", "float"):
        form = f"{kind}{JOINED}{marks[0]}"
        if all(word in refused for word in words if not are_numbers(form, word)):
            return form
    return ""


def _takes(run: Interpreter, function: Function, word: str) -> bool:
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
