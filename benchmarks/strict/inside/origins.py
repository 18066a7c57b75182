"""Where an object comes from: the numbers of the answer's calls that made it, or that made what it was made of."""

import types
from collections.abc import Iterable
from typing import Any

Origin = tuple[int, ...]
KEY = "_strict_made"
"""Under which an unknown value carries its origin itself."""
WITHOUT = (str, bytes, int, float, complex, bool, type(None), type, types.ModuleType, types.FunctionType)
"""What has no identity of its own: it is compared by what it is."""
DEEP, MANY = 2, 50
_known: dict[int, tuple[Any, Origin]] = {}


def origin(value: Any, depth: int = DEEP) -> Origin:
    """The calls that made a value, or what a container holds."""
    found = own_origin(value)
    if found or not depth:
        return found
    parts: Iterable[Any] = ()
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts = value
    return joined(origin(part, depth - 1) for part in list(parts)[:MANY])


def own_origin(value: Any) -> Origin:
    """The calls that made a value itself."""
    if isinstance(value, WITHOUT):
        return ()
    table = getattr(value, "__dict__", None)
    carried: Origin = table.get(KEY, ()) if isinstance(table, dict) else ()
    return carried or _known.get(id(value), (None, ()))[1]


def joined(origins: Iterable[Origin]) -> Origin:
    """All of them, each number once."""
    return tuple(sorted({number for one in origins for number in one}))


def remember(value: Any, made_by: Origin) -> None:
    """Note where a value comes from; the first note stays. It is kept, so that no other object gets its address."""
    if made_by and not isinstance(value, WITHOUT):
        _known.setdefault(id(value), (value, made_by))


def carry(unknown: Any, made_by: Origin) -> None:
    """Note where an unknown value comes from."""
    if made_by:
        vars(unknown)[KEY] = made_by
