"""Lets code go on with an unknown value after a call that ends at something unknown."""

import ast
import hashlib
import marshal
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import called, seen
from .bases import blemish, half_made
from .unknown import Unknown

NAME = "__strict_call__"
PLAIN_CALLS = ("super", "locals", "globals", "vars", "dir", "eval", "exec", "isinstance", "issubclass", "next", "type")
MADE: list[str] = []
"""Files that were compiled here because the cache did not have them; the host then puts them there."""


class Cache:
    """Where compiled forms are kept; set before the program starts."""

    folder = ""


def rewrite(tree: ast.Module, *, own: bool = False) -> ast.Module:
    """A syntax tree with every call sent through the function NAME; `own` where it is the answer's."""
    rewritten: ast.Module = ast.fix_missing_locations(Calls(own=own).visit(tree))
    return rewritten


def cache_name(source: bytes, path: str) -> str:
    """The name under which the compiled form of a file is kept."""
    return hashlib.sha1(path.encode() + b"\0" + source).hexdigest()


def compiled(source: bytes, path: str) -> types.CodeType:
    """The code of a file with its calls rewritten, from the cache where it has it."""
    try:
        code: types.CodeType = marshal.loads(Path(Cache.folder, cache_name(source, path)).read_bytes())
    except (OSError, ValueError, EOFError):
        MADE.append(path)
        code = compile(rewrite(ast.parse(source, path)), path, "exec", dont_inherit=True)
    return code


class Calls(ast.NodeTransformer):
    """Sends calls through the function NAME, but for those whose errors the code itself catches; an answer that only ends where it catches one does not."""

    def __init__(self, *, own: bool) -> None:
        self.own = own

    def visit_Try(self, node: ast.Try) -> ast.AST:
        body = node.body
        if not (self.own and all(map(_ends, node.handlers))):
            node.body = [] if node.handlers else body
        self.generic_visit(node)
        node.body = body
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in PLAIN_CALLS:
            return node
        name = ast.copy_location(ast.Name(id=NAME, ctx=ast.Load()), node)
        return ast.copy_location(ast.Call(func=name, args=[node.func, *node.args], keywords=node.keywords), node)


def _ends(handler: ast.ExceptHandler) -> bool:
    """Whether the program ends where an error is caught."""
    last = handler.body[-1]
    called = last.value.func if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
    return isinstance(last, ast.Raise) or getattr(called, "id", getattr(called, "attr", "")) in (
        "exit",
        "quit",
        "_exit",
    )


def carry_out(harmless: Callable[[BaseException], bool]) -> Callable[..., Any]:
    """Make the function that carries out one call."""

    def strict_call(*args: Any, **kwargs: Any) -> Any:
        function, *rest = args
        entry = called.add_call(function, tuple(rest), kwargs)
        brief = seen.Brief()
        try:
            with brief:
                result = function(*rest, **kwargs)
        except StopIteration:
            raise
        except seen.Enough:
            if not brief.measures:  # the time of a call further out is over, in which this one stands
                raise
            result = Unknown(getattr(function, "__name__", "call"))
        except Exception as error:  # foreign code raises anything; what no stub explains goes on
            if not harmless(error):
                raise
            blemish(function, rest)
            made = half_made(function, error) if isinstance(function, type) else None
            result = Unknown(getattr(function, "__name__", "call")) if made is None else made
        return called.returned(entry, function, (*rest, *kwargs.values()), result)

    return strict_call
