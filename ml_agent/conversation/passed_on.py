"""What a call takes that hands its arguments on: `def read(*args, **kwargs): return Reader(*args, **kwargs)`."""

import ast
from collections.abc import Callable

import msgspec

from ml_agent.tools.python_api.bindings import chain_of
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.python_api.model import ApiObject

_DEEPEST = 3
"""So often what takes the arguments may hand them on itself."""
_OPEN = ("rest", "keywords")


def with_passed_on(item: ApiObject, api: ApiIndex, node_of: Callable[[ApiObject], ast.AST | None]) -> ApiObject:
    """A function with the parameters of what gets its `**kwargs`, in place of these, where the repository defines that.

    Args:
        item: the function; others stay as they are.
        api: the repository's.
        node_of: gives where something is defined.
    """
    parameters, inner, given = item.parameters, item, set[str | None]()
    for _ in range(_DEEPEST):
        if inner.kind == "class" or not any(one.kind == "keywords" for one in parameters):
            break
        call = _handing_on(node_of(inner))
        chain = chain_of(call.func) if call is not None else None
        found = api.inside(inner.path, chain.text) if chain is not None else None
        if call is None or not isinstance(found, ApiObject) or found.kind not in ("class", "function"):
            break
        own = tuple(one for one in parameters if one.kind not in _OPEN)
        given |= {*(one.name for one in own), *(word.arg for word in call.keywords)}
        placed = sum(not isinstance(word, ast.Starred) for word in call.args)
        parameters = own + tuple(one for one in found.parameters[placed:] if one.name not in given)
        inner = found
    return msgspec.structs.replace(item, parameters=parameters)


def _handing_on(node: ast.AST | None) -> ast.Call | None:
    """The call in a function that gets its `**kwargs`."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.args.kwarg is None:
        return None
    name = node.args.kwarg.arg
    calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
    return next(
        (one for one in calls if any(word.arg is None and _is(word.value, name) for word in one.keywords)), None
    )


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
