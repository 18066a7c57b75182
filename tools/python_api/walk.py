"""Quick walks through syntax trees: reading all files of a large repository spends half of its time in them."""

import ast
from collections.abc import Iterable, Iterator

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_SKIPPED = frozenset(["ctx", "lineno", "col_offset", "end_lineno", "end_col_offset"])


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, in no particular order, without the contexts of names."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        for name, value in vars(node).items():
            if value.__class__ is list:
                todo += [item for item in value if isinstance(item, ast.AST)]
            elif name not in _SKIPPED and isinstance(value, ast.AST):
                todo.append(value)


def own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions and classes in it."""
    todo = list(body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, _INNER):
            todo += ast.iter_child_nodes(node)


def own_statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The statements of a function at any depth, without those of functions and classes in it."""
    todo = list(body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, _INNER):
            for part in ("body", "orelse", "finalbody", "handlers", "cases"):
                todo += getattr(node, part, ())
