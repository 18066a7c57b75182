"""Which names a piece of Python needs, and which it binds."""

import ast
import builtins
from collections.abc import Iterator
from functools import lru_cache

from ml_agent.tools.python_source import parse_python

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__"}
_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_INNER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""What binds names for itself alone."""


@lru_cache(maxsize=512)
def syntax_tree(code: str) -> ast.Module | None:
    """The syntax tree, to be read and not changed; None where the code does not parse."""
    return parse_python(code)


def unbound_names(tree: ast.Module) -> tuple[str, ...]:
    """The names that are read before anything binds them, in their order."""
    found: dict[str, None] = {}
    bound: set[str] = set(_BUILTINS)
    for statement in tree.body:
        found.update(dict.fromkeys(_reads(statement, bound | set(_inner_bindings(statement)))))
        bound.update(binds(statement))
    return tuple(found)


@lru_cache(maxsize=4096)
def binds(statement: ast.stmt) -> frozenset[str]:
    """The names that a statement binds at its own level."""
    return frozenset(_bindings(statement))


def _bindings(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).split(".")[0] for alias in node.names)
        return
    if isinstance(node, _DEFINITION):
        yield node.name
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    if isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _INNER):
            yield from _bindings(child)


def _inner_bindings(statement: ast.stmt) -> Iterator[str]:
    """Names bound anywhere inside a statement (arguments, loop variables): read there, they are no need of the block."""
    own = isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign)
    for node in ast.walk(statement):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and not own:
            yield node.id
        elif isinstance(node, (ast.Import, ast.ImportFrom, ast.ExceptHandler, *_DEFINITION)):
            yield from _bindings(node)
        elif isinstance(node, ast.comprehension):
            yield from (name.id for name in ast.walk(node.target) if isinstance(name, ast.Name))


def _reads(statement: ast.stmt, bound: set[str]) -> Iterator[str]:
    added = statement.target if isinstance(statement, ast.AugAssign) else None
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and node.id not in bound and (isinstance(node.ctx, ast.Load) or node is added):
            yield node.id
