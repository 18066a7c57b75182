"""Which texts a function takes for a parameter, by the tests with which it begins: `assert pool in {"cls", "mean"}`."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_MOST_STATEMENTS = 80
_MOST_TEXTS = 60


class _Test(NamedTuple):
    """A parameter that must be one of some texts."""

    name: str
    texts: tuple[str, ...]


def accepted_texts(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Mapping[str, tuple[str, ...]]:
    """By parameter: the texts that it must be one of. One that the function itself changes may be given others.

    Args:
        node: the function; its own statements are read, not what stands in branches and loops.
    """
    given = {one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    changed = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    found: dict[str, tuple[str, ...]] = {}
    for statement in node.body[:_MOST_STATEMENTS]:
        for test in _tests(statement):
            if test.name in given - changed and 0 < len(test.texts) <= _MOST_TEXTS:
                found.setdefault(test.name, test.texts)
    return found


def _tests(statement: ast.stmt) -> Iterator[_Test]:
    if isinstance(statement, ast.Assert):
        yield from _from_assertion(statement.test)
    elif isinstance(statement, ast.If) and isinstance(statement.body[0], ast.Raise) and not statement.orelse:
        yield from _from_comparison(statement.test, ast.NotIn)
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return) and statement.value is not None:
        yield from _from_lookup(statement.value)


def _from_assertion(test: ast.expr) -> Iterator[_Test]:
    """Of `a in {...} and b in {...}` each; of `a is None or a in {...}` the texts."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for part in test.values:
            yield from _from_assertion(part)
    elif isinstance(test, ast.BoolOp) and len(test.values) == 2 and _is_none(test.values[0]):
        yield from _from_comparison(test.values[1], ast.In)
    else:
        yield from _from_comparison(test, ast.In)


def _is_none(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is)


def _from_comparison(test: ast.expr, operator: type[ast.cmpop]) -> Iterator[_Test]:
    if (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], operator)
        and isinstance(test.left, ast.Name)
        and isinstance(test.comparators[0], ast.Set | ast.Tuple | ast.List)
    ):
        yield _Test(test.left.id, _texts(test.comparators[0].elts))


def _from_lookup(value: ast.expr) -> Iterator[_Test]:
    """A parameter that is a key of a table: `{"max": a, "mean": b}[pool]`."""
    for node in ast.walk(value):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict) and isinstance(node.slice, ast.Name):
            yield _Test(node.slice.id, _texts(node.value.keys))


def _texts(nodes: list[ast.expr] | list[ast.expr | None]) -> tuple[str, ...]:
    """The texts, where all are."""
    texts = [one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return tuple(dict.fromkeys(texts)) if len(texts) == len(nodes) else ()
