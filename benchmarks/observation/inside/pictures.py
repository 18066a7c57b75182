"""Values as plain JSON: what can be compared of them, and a mark for what is not known here."""

import enum
import functools
import os
import types
from typing import Any

from . import unknown

DEEP, MANY, LONG = 5, 200, 2000
"""Levels, items and characters that are kept of a value."""


def picture(value: Any, depth: int = 0) -> Any:
    """A value as JSON: numbers, text, lists and tables as they are; `{"?": name}` for the unknown, `{"is": name}` for other things."""
    if isinstance(value, enum.Enum):
        return picture(value.value, depth + 1)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if value == value and abs(value) != float("inf") else repr(float(value))
    if isinstance(value, (str, bytes)):
        text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
        return {"?": "text"} if unknown.MARK in text else text[:LONG]
    if isinstance(value, (unknown.Unknown, unknown.UnknownModule)) or hasattr(type(value), "_unknown_name"):
        return {"?": getattr(value, "_unknown_name", type(value).__name__)}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return _container(value, depth) if depth < DEEP else {"?": type(value).__name__}


def _container(value: Any, depth: int) -> Any:
    if isinstance(value, dict):
        return {str(k): picture(v, depth + 1) for k, v in list(value.items())[:MANY]}
    if isinstance(value, (list, tuple, range)):
        return [picture(v, depth + 1) for v in list(value)[:MANY]]
    if isinstance(value, (set, frozenset)):
        return sorted((picture(v, depth + 1) for v in list(value)[:MANY]), key=str)
    return {"is": name_of(value)}


def name_of(value: Any) -> str:
    """The dotted name of a function or class; of any other thing that of its class, with "()"."""
    value = unwrapped(value)
    if isinstance(value, types.ModuleType):
        return value.__name__
    function = getattr(value, "__func__", value)
    named = isinstance(function, (type, types.FunctionType, types.BuiltinFunctionType))
    owner = function if named else type(value)
    return f"{owner.__module__}.{owner.__qualname__}" + ("" if named else "()")


def unwrapped(function: Any) -> Any:
    """The function below `functools.partial` and decorators that say what they wrap."""
    for _ in range(DEEP):
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, types.FunctionType) and hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    return function
