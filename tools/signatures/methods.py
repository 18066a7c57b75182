"""The methods of constants and containers: only those that are harmless."""

import posixpath
from collections.abc import Callable
from pathlib import PurePath, PurePosixPath

from ml_agent.tools.signatures.control_flow import Machine
from ml_agent.tools.signatures.expressions import iterate
from ml_agent.tools.signatures.library import are_paths
from ml_agent.tools.signatures.operators import MAX_ITEMS, MAX_TEXT, WIDTH, guarded, short
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Method, Value, is_known, may_be_key

GROWING = frozenset(["center", "ljust", "rjust", "zfill", "expandtabs", "translate", "format_map", "encode"])
"""Methods of texts that may make long ones, or something else than a text."""
TEXT_METHODS = frozenset(name for name in dir(str) if not name.startswith("_")) - GROWING
CONTAINER_METHODS = frozenset(["keys", "values", "items", "get", "copy", "index", "count"])
CHANGING_METHODS = frozenset(
    [
        "append",
        "extend",
        "insert",
        "update",
        "add",
        "setdefault",
        "remove",
        "pop",
        "clear",
        "sort",
        "reverse",
        "discard",
    ]
)
METHODS = TEXT_METHODS | CONTAINER_METHODS | CHANGING_METHODS | {"is_integer", "bit_length"}


def call_method(run: Machine, value: Value, name: str) -> Value:
    """The method `name` of a constant or a container."""
    if isinstance(value, PurePath):
        return _of_path(run, value, name)
    if isinstance(value, (list, dict, set)) and name in CHANGING_METHODS:
        return Method(lambda arguments: _change(run, value, name, arguments))
    return Method(lambda arguments: _ask(run, value, name, arguments))


def _of_path(run: Machine, value: PurePath, name: str) -> Value:
    """An attribute or method of a path; whole paths are those of a program started in the repository's root."""
    if name in ("resolve", "absolute"):
        whole = posixpath.normpath(posixpath.join(str(run.sources.root), str(value)))
        return Method(lambda _: PurePosixPath(whole))
    if name == "expanduser":
        return Method(lambda _: UNKNOWN if str(value).startswith("~") else value)
    found = list(value.parents) if name == "parents" else guarded(lambda: getattr(value, name))
    if callable(found):
        pure = name in ("joinpath", "with_suffix", "with_name", "as_posix", "relative_to")
        return Method(lambda a: guarded(lambda: found(*a.placed)) if pure and are_paths(a.placed) else UNKNOWN)
    return found


def _ask(run: Machine, value: Value, name: str, arguments: Arguments) -> Value:
    """A method that changes nothing."""
    placed, named = arguments.placed, arguments.named
    if isinstance(value, dict):
        if name == "get":
            return _dict_get(run, value, placed)
        views: dict[str, Callable[[], Value]] = {"keys": value.keys, "values": value.values, "items": value.items}
        return dict(value) if name == "copy" else list(views[name]()) if name in views else UNKNOWN
    if isinstance(value, list) and name == "copy":
        return list(value)
    placed = [run.settle(part) for part in placed]
    named = {key: run.settle(part) for key, part in named.items()}
    if arguments.open or not is_known(placed) or not is_known(named) or not is_known(value):
        return UNKNOWN
    if isinstance(value, str) and _may_grow(value, name, placed):
        return UNKNOWN
    return short(guarded(lambda: getattr(value, name)(*placed, **named)))


def _may_grow(text: str, name: str, placed: list[Value]) -> bool:
    """Whether a method of a text could make a very long one."""
    if name == "format":
        return bool(WIDTH.search(text)) or "__" in text
    if name == "replace":
        return len(text) * max(len(str(p)) for p in placed) > 100 * MAX_TEXT if placed else False
    if name == "join":
        items = placed[0] if placed and isinstance(placed[0], (list, tuple, set, dict)) else ()
        return len(text) * len(items) + sum(len(i) for i in items if isinstance(i, str)) > MAX_TEXT
    return False


def _dict_get(run: Machine, value: dict[Value, Value], placed: list[Value]) -> Value:
    key = run.settle(placed[0]) if placed else UNKNOWN
    if not is_known(key) or isinstance(key, (list, dict, set)):
        return UNKNOWN
    if key in value:
        return value[key]
    return UNKNOWN if UNKNOWN in value else placed[1] if len(placed) > 1 else None


def _change(run: Machine, value: Value, name: str, arguments: Arguments) -> Value:
    """A method that changes a container; where it may not be reached, the container is no longer known whole."""
    if isinstance(value, dict) and name == "update" and arguments.placed and not isinstance(arguments.placed[0], dict):
        value[UNKNOWN] = UNKNOWN
        return None
    if len(value) > MAX_ITEMS or arguments.open:
        return UNKNOWN
    joined = isinstance(value, set) and name == "update"
    keys = [key for one in arguments.placed for key in ((iterate(run, one) or ()) if joined else (one,))]
    if not all(map(may_be_key, keys)):
        return UNKNOWN
    if name == "extend" and arguments.placed:
        items = iterate(run, arguments.placed[0])
        arguments = Arguments([[UNKNOWN] if items is None else items], {})
    if name == "sort" and (not is_known(value) or arguments.named):
        return UNKNOWN
    result = guarded(lambda: getattr(value, name)(*arguments.placed, **arguments.named))
    if run.uncertain:
        _taint(value)
    return result


def _taint(value: Value) -> None:
    if isinstance(value, dict):
        value[UNKNOWN] = UNKNOWN
    elif isinstance(value, list) and UNKNOWN not in value:
        value.append(UNKNOWN)
    elif isinstance(value, set):
        value.add(UNKNOWN)
