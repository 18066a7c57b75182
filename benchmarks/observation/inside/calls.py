"""Records the calls of the answer's own code, and lets the code go on after a call that ends at something unknown.

`rewrite` turns each call `f(x)` of a syntax tree into `__bench_call__(f, x)`. That function (`carry_out`) writes down the name and the arguments of
calls that stand in the answer (`SEEN.calls`, which `same_call.code` compares), makes the call, and gives an unknown value where it fails only because
a library is not there.
"""

import ast
import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

from . import unknown
from .record import MOST, SEEN, from_answer, name_of, picture, unwrapped
from .unknown import Unknown, half_made

NAME = "__bench_call__"
PLAIN_CALLS = ("super", "locals", "globals", "vars", "dir", "eval", "exec", "isinstance", "issubclass", "next", "type")
Entry = dict[str, Any]


class Rewriter(ast.NodeTransformer):
    """Sends calls through the function NAME.

    In the repository's code, calls whose errors it catches itself stay as they are.
    """

    def __init__(self, *, own: bool) -> None:
        self.own = own

    def visit_Try(self, node: ast.Try) -> ast.AST:
        body = node.body
        if node.handlers and not self.own:
            node.body = []
        self.generic_visit(node)
        node.body = body
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in PLAIN_CALLS:
            return node
        name = ast.copy_location(ast.Name(id=NAME, ctx=ast.Load()), node)
        return ast.copy_location(ast.Call(func=name, args=[node.func, *node.args], keywords=node.keywords), node)


def rewrite(tree: ast.Module, *, own: bool) -> ast.Module:
    """A syntax tree with every call sent through the function NAME; `own` where it is the answer's."""
    rewritten: ast.Module = ast.fix_missing_locations(Rewriter(own=own).visit(tree))
    return rewritten


def carry_out(harmless: Callable[[BaseException], bool]) -> Callable[..., Any]:
    """Make the function that carries out one call; where its error is harmless the result is unknown."""

    def bench_call(*args: Any, **kwargs: Any) -> Any:
        function, *rest = args
        entry = _entry(function, tuple(rest), kwargs) if from_answer() else None
        if entry is not None and len(SEEN.calls) < MOST and entry not in SEEN.calls:
            SEEN.calls.append(entry)
        try:
            result = function(*rest, **kwargs)
        except StopIteration:
            raise
        except Exception as error:  # foreign code raises anything; what no stub explains goes on
            if not harmless(error):
                raise
            made = half_made(function) if isinstance(function, type) else None
            result = Unknown(getattr(function, "__name__", "call")) if made is None else made
        if entry is not None and entry["own"] and isinstance(result, Unknown):
            vars(result)["_origin"] = f"{_function_name(function)}()"
        return result

    return bench_call


def _entry(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
    """One call as it is recorded, before it is made."""
    while isinstance(function, functools.partial):
        function, args, kwargs = function.func, (*function.args, *args), {**function.keywords, **kwargs}
    own = _own(function)
    given, defaults = _bind(function, args, kwargs) if own else (_by_place(args, kwargs), {})
    return {"name": _function_name(function), "own": own, **_pictures(given, defaults)}


def _pictures(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> Entry:
    """The values of a call as they can be compared."""
    return {
        "arguments": {name: picture(value) for name, value in given.items()},
        "defaults": {name: picture(value) for name, value in defaults.items()},
    }


def _function_name(function: Any) -> str:
    if isinstance(function, Unknown):
        return str(vars(function).get("_origin", "")) or f"?{unknown.name_of(function)}"
    return name_of(function)


def _own(function: Any) -> bool:
    """Whether a function, or the class of a thing that is called, is the repository's."""
    if isinstance(function, Unknown):
        return "_origin" in vars(function)
    path = _file(function)
    return bool(path) and SEEN.scope is not None and SEEN.scope.has(path) and path != SEEN.scope.answer


def _file(function: Any) -> str:
    """Where a function, or the class of a thing, stands."""
    function = unwrapped(function)
    function = getattr(function, "__func__", function)
    owner = function if isinstance(function, (type, types.FunctionType)) else type(function)
    module = sys.modules.get(getattr(owner, "__module__", "") or "")
    return str(getattr(module, "__file__", None) or "")


def _by_place(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    return {**{str(n): v for n, v in enumerate(args)}, **kwargs}


def _bind(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments by name, and the defaults of all parameters; by place where the names are not known."""
    target: Any = unwrapped(function)
    first: tuple[None, ...] = ()
    if isinstance(target, type):
        target, first = vars(target).get("__init__") or getattr(target, "__init__"), (None,)  # noqa: B009
    elif not isinstance(target, (types.FunctionType, types.MethodType)):
        method = getattr(type(target), "forward", None) or getattr(type(target), "call", None)
        target, first = method or type(target).__call__, (None,)
    try:
        signature = inspect.signature(target)
        bound = signature.bind(*first, *args, **kwargs)
    except (TypeError, ValueError):
        return _by_place(args, kwargs), {}
    named: dict[str, Any] = {}
    for place, (name, value) in enumerate(bound.arguments.items()):
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            named |= value
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            named |= {str(n): v for n, v in enumerate(value[1:] if first and not place else value)}
        elif not (first and not place):
            named[name] = value
    return named, {n: p.default for n, p in signature.parameters.items() if p.default is not p.empty}
