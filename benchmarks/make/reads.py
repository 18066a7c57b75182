"""What a program's source does with its options: which it never reads, and which words it knows."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from ml_agent.tools.signatures.model import Option

MOSTLY = 0.7
"""The share of options that must be seen to be read before one that is not counts as unread: else they are read elsewhere."""
WHOLE = frozenset({"vars", "__dict__", "_get_kwargs", "asdict"})
"""Names by which all options are taken together."""


def unread(options: Sequence[Option], trees: Sequence[ast.Module]) -> frozenset[str]:
    """The options that nothing of the program names but the call that declares them, so that giving them does nothing.

    Args:
        options: of the program.
        trees: all its files.
    """
    named = {word for tree in trees for word in _words_in(tree)}
    if named & WHOLE:
        return frozenset()
    missing = {o.dest for o in options if o.dest.rpartition(".")[2].replace("-", "_") not in named}
    return frozenset(missing) if len(missing) <= (1 - MOSTLY) * len(options) else frozenset()


def _words_in(tree: ast.Module) -> Iterator[str]:
    """Every name and word in a file, without those that declare an option."""
    todo: list[ast.AST] = [tree]
    while todo:  # a program may be nested deeper than functions may call each other
        node = todo.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            continue
        yield from _own_words(node)
        todo += ast.iter_child_nodes(node)


def _own_words(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Store):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.arg, ast.keyword)):
        yield node.arg or ""
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def known_keys(trees: Iterable[ast.Module]) -> frozenset[str]:
    """The words under which tables of the source keep something."""
    tables = (n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Dict))
    return frozenset(
        k.value for n in tables for k in n.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)
    )


def known_words(trees: Iterable[ast.Module]) -> frozenset[str]:
    """All strings of the source, and what it names."""
    nodes = [n for tree in trees for n in ast.walk(tree)]
    strings = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    defined = {n.name for n in nodes if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    return frozenset(strings | defined | {a.name for n in nodes if isinstance(n, ast.ImportFrom) for a in n.names})
