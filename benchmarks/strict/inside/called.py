"""Records the calls of an answer's code: what they are given, on which objects they are made, and what they give."""

import functools
import inspect
import os
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import origins, seen, unknown
from .pictures import name_of, picture, unwrapped

Entry = dict[str, Any]
TWINS = 8
"""Calls that are kept of those that say the same and make objects: a loop makes any number of them."""
SELF = "self"
"""The name of what a call is made on."""
SETS = " ="
"""Behind the name of an attribute that is set."""


def add_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry | None:
    """Record one call of the answer's own code, before it is made."""
    if not seen.from_answer() or len(seen.SEEN.calls) >= seen.MOST:
        return None
    while isinstance(function, functools.partial):
        function, args, kwargs = function.func, (*function.args, *args), {**function.keywords, **kwargs}
    sets = function is setattr and len(args) == 3 and (_own(args[0]) or bool(origins.own_origin(args[0])))
    if sets:
        entry = _attribute(*args)
    else:
        own = _own(function)
        given, defaults = _bind(function, args, kwargs) if own else _by_place(args, kwargs)
        made_on = {SELF: getattr(function, "__self__", function)} if own else {}
        entry = {"name": _function_name(function), "own": own, "constructs": isinstance(function, type)}
        entry |= _pictures(given, defaults, made_on)
    seen.SEEN.number += 1
    entry |= {"number": seen.SEEN.number, "again": seen.SEEN.number, "gives": [], "folder": _folder()}
    seen.SEEN.calls.append(entry)
    return entry


def returned(entry: Entry | None, function: Any, given: tuple[Any, ...], result: Any) -> Any:
    """The result of a call that was recorded, with where it comes from."""
    if entry is None:
        return result
    if not entry["own"]:
        if not _of_answer(function):
            _pass_on(result, origins.joined(map(origins.origin, (function, *given))))
        _once(entry, 1)
        return result
    has_identity = not isinstance(result, origins.WITHOUT)
    entry = _once(entry, TWINS if has_identity and not origins.own_origin(result) else 1)
    if isinstance(result, unknown.Unknown):
        vars(result)["_origin"] = f"{_function_name(function)}()"
    _pass_on(result, (entry["number"],))
    entry["gives"] = list(origins.own_origin(result))
    return result


def _pass_on(result: Any, made_by: origins.Origin) -> None:
    if isinstance(result, unknown.Unknown):
        if not origins.own_origin(result):
            origins.carry(result, made_by)
    else:
        origins.remember(result, made_by)


def _once(entry: Entry, most: int) -> Entry:
    """The call, or the last of as many before it that said the same: then it was made again."""
    said = _comparable(entry)
    twins = [
        one for one in seen.SEEN.calls if one is not entry and one["name"] == entry["name"] and _comparable(one) == said
    ]
    if len(twins) < most:
        return entry
    seen.SEEN.calls[:] = [one for one in seen.SEEN.calls if one is not entry]
    twins[-1]["again"] = entry["number"]
    return twins[-1]


def _comparable(entry: Entry) -> list[Any]:
    return [entry["own"], entry["arguments"], entry["defaults"], entry["folder"]]


def _folder() -> str:
    """Where the answer is by now, relative to the repository."""
    return os.path.relpath(Path.cwd(), seen.SEEN.scope.root) if seen.SEEN.scope is not None else "."


def _attribute(owner: Any, name: str, value: Any) -> Entry:
    """That an attribute of the repository's object is set; what it is already counts as its default."""
    before = {} if isinstance(owner, unknown.Unknown) else {"value": getattr(owner, name, None)}
    of = _function_name(owner) if isinstance(owner, unknown.Unknown) else name_of(owner).removesuffix("()")
    entry = {"name": f"{of}.{name}{SETS}", "own": True, "constructs": False}
    return entry | _pictures({"value": value}, before, {SELF: owner})


def _pictures(given: Mapping[str, Any], defaults: Mapping[str, Any], made_on: Mapping[str, Any]) -> Entry:
    """The values of a call as they can be compared, and where its objects come from."""
    objects = {name: origins.origin(value) for name, value in {**made_on, **given}.items()}
    return {
        "arguments": {name: picture(value) for name, value in given.items()},
        "defaults": {name: picture(value) for name, value in defaults.items()},
        "objects": {name: list(made_by) for name, made_by in objects.items() if made_by},
    }


def _function_name(function: Any) -> str:
    if isinstance(function, unknown.Unknown):
        return str(vars(function).get("_origin", "")) or f"?{unknown.name_of(function)}"
    return name_of(function)


def _own(function: Any) -> bool:
    """Whether a function, or the class of a thing that is called, is the repository's."""
    if isinstance(function, unknown.Unknown):
        return "_origin" in vars(function)
    path = _file(function)
    return bool(path) and seen.SEEN.scope is not None and seen.SEEN.scope.has(path) and path != seen.SEEN.scope.answer


def _of_answer(function: Any) -> bool:
    """Whether a function is the answer's own: what it gives is made by the calls in it."""
    return (
        not isinstance(function, unknown.Unknown)
        and seen.SEEN.scope is not None
        and _file(function) == seen.SEEN.scope.answer
    )


def _file(function: Any) -> str:
    """Where a function, the class of a thing or a module stands."""
    function = unwrapped(function)
    function = getattr(function, "__func__", function)
    if isinstance(function, types.ModuleType):
        return str(getattr(function, "__file__", None) or "")
    owner = function if isinstance(function, (type, types.FunctionType)) else type(function)
    module = sys.modules.get(getattr(owner, "__module__", "") or "")
    return str(getattr(module, "__file__", None) or "")


def _by_place(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return {**{str(n): v for n, v in enumerate(args)}, **kwargs}, {}


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
        return _by_place(args, kwargs)
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
