"""Python source of others as a syntax tree that whoever walks it can walk: text that is nested deeper than people write is refused."""

import ast
import gc
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any, Literal, TypeVar, overload

from ml_agent.tools.errors import ToolError
from ml_agent.tools.files import Tree

N = TypeVar("N", bound=ast.AST)
MOST_LEVELS = 150
"""Nodes inside each other; writing a tree out takes three frames of Python's thousand a level."""
_LEVELS_OF_A_LETTER = 2
"""At most so many nodes begin inside each other with one letter of the source: `a` is a statement, and in it a name."""
_ONE_AT_A_TIME = RLock()
_HALF = re.compile(r"\\(?:u|U0000)[dD][89a-fA-F]")
_LEAVES = frozenset(
    {
        int, float, complex, str, bytes, bool, type(None), type(...), ast.Name, ast.Constant, ast.alias, ast.Pass,
        *(kind for group in (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop) for kind in group.__subclasses__()),
    }
)  # fmt: skip
"""What stands in a tree and has nothing inside."""


class TooDeepError(SyntaxError):
    """The text is nested deeper than anybody reads it."""


def read_python(source: str | bytes, mode: Literal["exec", "eval"] = "exec", levels: int = MOST_LEVELS) -> ast.Module:
    """The syntax tree of Python source, nowhere deeper than `levels`. An expression (`eval`) is the only statement.

    Raises SyntaxError where it is none, TooDeepError where it is nested too deeply, for us or for Python.
    """
    try:
        tree = syntax_tree(source, mode)
    except (RecursionError, MemoryError, SystemError) as error:
        raise TooDeepError("the Python code is nested too deeply") from error
    except SyntaxError:
        raise
    except ValueError as error:
        raise SyntaxError(str(error)) from error
    if _is_deeper(tree, levels):
        raise TooDeepError(f"the Python code is nested more than {levels} levels deep")
    if isinstance(tree, ast.Expression):
        return ast.Module(body=[ast.Expr(tree.body)], type_ignores=[])
    assert isinstance(tree, ast.Module)  # there is no third mode
    return tree


@overload
def syntax_tree(source: str | bytes, mode: Literal["exec"] = ...) -> ast.Module: ...
@overload
def syntax_tree(source: str | bytes, mode: Literal["eval"]) -> ast.Expression: ...
@overload
def syntax_tree(source: str | bytes, mode: Literal["exec", "eval"]) -> ast.AST: ...
def syntax_tree(source: str | bytes, mode: Literal["exec", "eval"] = "exec") -> ast.AST:
    """The tree as Python makes it, without warnings; raises as `ast.parse` does.

    Python before 3.11.8 and 3.12.2 counts the levels of all trees together (gh-106905), and gives one of two threads that make
    trees a SystemError. Only a look for garbage lets another thread in, also one that writes a traceback, which parses: so there is
    none meanwhile, and one thread at a time switches it off.
    """
    with _ONE_AT_A_TIME, without_garbage_collection(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _without_halves(ast.parse(source, mode=mode), source)


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Syntax trees are all new objects; looking for garbage among them takes longer than making them."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _without_halves(tree: N, source: str | bytes) -> N:
    """The tree of a source whose texts hold no half of a character (a surrogate), which no file and no prompt can hold."""
    if isinstance(source, str) and _HALF.search(source):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                node.value = node.value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return tree


def parse_python(source: str | bytes, levels: int = MOST_LEVELS) -> ast.Module | None:
    """The syntax tree of Python source; None where it is none, or is nested too deeply."""
    try:
        return read_python(source, levels=levels)
    except SyntaxError:
        return None


def only_names(node: ast.stmt) -> bool:
    """Whether a statement only gives names to things: it defines, imports, or assigns without a call. A decorator may do more."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return not node.decorator_list
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
        return True
    held = node.value if isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign) else node
    return held is None or not any(isinstance(part, ast.Call | ast.stmt | ast.Await) for part in ast.walk(held))


def read_module(tree: Tree, path: str) -> ast.Module | None:
    """The syntax tree of a file of a repository; None where it cannot be read or is no Python.

    Args:
        tree: the repository's files.
        path: relative to its root.
    """
    try:
        return parse_python(tree.read_text(path))
    except (ToolError, OSError):
        return None


def _is_deeper(tree: ast.AST, levels: int) -> bool:
    level: Sequence[ast.AST] = [tree]
    for depth in range(levels + 1):
        below: list[Any] = []
        for value in (value for node in level for value in vars(node).values() if value.__class__ not in _LEAVES):
            below += value if value.__class__ is list else [value]
        room = (levels - depth) // _LEVELS_OF_A_LETTER - _LEVELS_OF_A_LETTER
        level = [node for node in below if node.__class__ not in _LEAVES and not _is_shorter(node, room)]
        if not level:
            return False
    return True


def _is_shorter(node: Any, letters: int) -> bool:
    """Whether a node's text is on one line and too short to hold anything deep: four of five nodes need not be looked into."""
    return hasattr(node, "end_lineno") and (
        node.end_lineno == node.lineno and node.end_col_offset - node.col_offset < letters
    )
