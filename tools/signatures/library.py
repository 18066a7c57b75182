"""What the interpreter knows of Python's own functions: only those that are harmless on constants."""

import inspect
import json
import posixpath
import textwrap
from collections.abc import Callable
from pathlib import PurePath, PurePosixPath
from typing import Any

from ml_agent.tools.signatures.control_flow import Machine, ProgramRaised
from ml_agent.tools.signatures.expressions import iterate
from ml_agent.tools.signatures.operators import MAX_ITEMS, guarded, set_item, short, to_set
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Bound,
    Class,
    External,
    Function,
    Instance,
    Method,
    Module,
    Namespace,
    ParsedArgument,
    Repeated,
    Value,
    is_known,
    truth,
)

PLAIN: dict[str, Callable[..., Any]] = {
    "len": len, "min": min, "max": max, "sum": sum, "abs": abs, "round": round, "int": int, "float": float,
    "bool": bool, "str": str, "repr": repr, "chr": chr, "ord": ord, "complex": complex, "bytes": bytes, "divmod": divmod,
    "hex": hex, "oct": oct, "bin": bin,
}  # fmt: skip
TYPES = {str: "str", int: "int", float: "float", bool: "bool", list: "list", tuple: "tuple", dict: "dict", set: "set"}
PATH_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "join": posixpath.join, "basename": posixpath.basename, "dirname": posixpath.dirname, "normpath": posixpath.normpath,
    "splitext": posixpath.splitext, "split": posixpath.split, "isabs": posixpath.isabs,
}  # fmt: skip
TEXT_FUNCTIONS: dict[str, Callable[[str], str]] = {
    "textwrap.dedent": textwrap.dedent, "inspect.cleandoc": inspect.cleandoc, "gettext.gettext": str,
}  # fmt: skip
PATH_CLASSES = frozenset({"pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.PurePosixPath"})
MAX_JSON = 10_000
CONSTANTS_OF: dict[str, Value] = {
    "sys.platform": "linux",
    "os.name": "posix",
    "sys.version_info": (3, 11, 0, "final", 0),
    "os.sep": "/", "os.path.sep": "/", "os.pathsep": ":", "os.linesep": "\n", "math.inf": float("inf"), "os.curdir": ".",
    "os.pardir": "..", "numpy.inf": float("inf"), "math.pi": 3.141592653589793, "math.e": 2.718281828459045,
    "builtins.__debug__": True, "typing.TYPE_CHECKING": False, "argparse.REMAINDER": "...", "argparse.OPTIONAL": "?",
    "argparse.ZERO_OR_MORE": "*", "argparse.ONE_OR_MORE": "+", "argparse.PARSER": "A...",
    "argparse.SUPPRESS": "==SUPPRESS==", "omegaconf.MISSING": "???", "builtins.NotImplemented": NotImplemented,
    "logging.NOTSET": 0, "logging.DEBUG": 10, "logging.INFO": 20, "logging.WARNING": 30, "logging.WARN": 30,
    "logging.ERROR": 40, "logging.CRITICAL": 50, "logging.FATAL": 50, "absl.logging.FATAL": -3, "absl.logging.ERROR": -2,
    "absl.logging.WARNING": -1, "absl.logging.WARN": -1, "absl.logging.INFO": 0, "absl.logging.DEBUG": 1,
}  # fmt: skip


def call_external(run: Machine, name: str, arguments: Arguments) -> Value:
    """What calling a library function gives; UNKNOWN for most."""
    if name == "builtins.isinstance":
        return _is_instance(arguments)
    owner, _, short = name.rpartition(".")
    if owner == "builtins":
        return _builtin(run, short, arguments)
    if name in PATH_CLASSES:
        return guarded(lambda: PurePosixPath(*arguments.placed)) if are_paths(arguments.placed) else UNKNOWN
    if owner in ("os.path", "posixpath"):
        return _path_function(run, short, arguments)
    if name in TEXT_FUNCTIONS and len(arguments.placed) == 1 and isinstance(arguments.placed[0], str):
        return TEXT_FUNCTIONS[name](arguments.placed[0])
    if name == "platform.system":
        return "Linux"
    if name in ("os.getcwd", "pathlib.Path.cwd"):
        return str(run.sources.root) if name == "os.getcwd" else PurePosixPath(str(run.sources.root))
    if name in ("collections.OrderedDict", "collections.defaultdict", "types.MappingProxyType"):
        placed = arguments.placed[-1:] if name.endswith("OrderedDict") else arguments.placed[1:2]
        return _dict(run, Arguments(placed, arguments.named, arguments.open))
    if name in ("copy.copy", "copy.deepcopy") and arguments.placed:
        return arguments.placed[0]
    if name == "json.loads" and len(arguments.placed) == 1:
        return _json(arguments.placed[0])
    if name == "distutils.util.strtobool" and len(arguments.placed) == 1:
        return _strtobool(arguments.placed[0])
    return UNKNOWN


def _strtobool(word: Value) -> Value:
    """A word as 1 or 0; others stop the program."""
    if not isinstance(word, str):
        return UNKNOWN
    if word.lower() in ("y", "yes", "t", "true", "on", "1"):
        return 1
    if word.lower() in ("n", "no", "f", "false", "off", "0"):
        return 0
    raise ProgramRaised


def _is_instance(arguments: Arguments) -> Value:
    """isinstance(value, kinds) of a constant or container and built-in types."""
    if len(arguments.placed) != 2:
        return UNKNOWN
    value, kinds = arguments.placed
    several = kinds if isinstance(kinds, tuple) else (kinds,)
    names = [kind.name for kind in several if isinstance(kind, External) and kind.name.startswith("builtins.")]
    if len(names) < len(several) or not (is_known(value) or isinstance(value, (list, tuple, dict, set))):
        return UNKNOWN
    return any(f"builtins.{cls.__name__}" in names for cls in type(value).__mro__)


def _json(text: Value) -> Value:
    """A text as JSON; one that is none stops the program."""
    if not isinstance(text, str) or len(text) > MAX_JSON:
        return UNKNOWN
    try:
        return json.loads(text)
    except ValueError:
        raise ProgramRaised from None
    except RecursionError:
        return UNKNOWN


def are_paths(values: list[Value]) -> bool:
    """Whether all are texts or paths."""
    return all(isinstance(v, (str, PurePath)) for v in values)


def _path_function(run: Machine, name: str, arguments: Arguments) -> Value:
    """os.path, as if the program were started in the repository's root: defaults are written relative to it."""
    placed = [str(v) if isinstance(v, PurePath) else v for v in arguments.placed]
    if not placed or not all(isinstance(v, str) for v in placed):
        return UNKNOWN
    root = str(run.sources.root)
    if name in ("abspath", "realpath"):
        return posixpath.normpath(posixpath.join(root, placed[0]))
    if name == "relpath":
        start = arguments.get(1, "start", root)
        ends = [posixpath.join(root, str(p)) for p in (placed[0], start)]
        return guarded(lambda: posixpath.relpath(*ends))
    if name == "expanduser":
        return UNKNOWN if placed[0].startswith("~") else placed[0]
    function = PATH_FUNCTIONS.get(name)
    return UNKNOWN if function is None else guarded(lambda: function(*placed))


def _builtin(run: Machine, name: str, arguments: Arguments) -> Value:
    special = BUILTINS.get(name)
    if special is not None:
        return special(run, arguments)
    placed = arguments.placed
    if name in ("str", "int") and len(placed) == 1 and isinstance(placed[0], ParsedArgument):
        return placed[0]
    if name == "str" and len(placed) == 1 and isinstance(placed[0], PurePath):
        return str(placed[0])
    if name == "str" and len(placed) == 1 and isinstance(placed[0], Instance):
        method = run.attribute(placed[0], "__str__")
        return UNKNOWN if method is UNKNOWN else run.call(method, Arguments([], {}))
    if name == "len" and len(placed) == 1 and isinstance(placed[0], (list, tuple, dict, set)):
        return len(placed[0]) if UNKNOWN not in placed[0] else UNKNOWN
    if name == "bool" and len(placed) == 1:
        known = truth(placed[0])
        return UNKNOWN if known is None else known
    function = PLAIN.get(name)
    if function is None or arguments.open or arguments.named or not is_known(placed):
        return UNKNOWN
    if any(isinstance(v, int) and v.bit_length() > 4096 for v in placed) or (name == "bytes" and not are_paths(placed)):
        return UNKNOWN
    if name in ("int", "float"):
        return _number(function, placed)
    return short(guarded(lambda: function(*placed)))


def _number(function: Callable[..., Any], placed: list[Value]) -> Value:
    """int() and float(): a text that is no number stops the program."""
    try:
        return function(*placed)
    except ValueError:
        raise ProgramRaised from None
    except (TypeError, OverflowError):
        return UNKNOWN


def _range(run: Machine, arguments: Arguments) -> Value:
    if any(isinstance(v, ParsedArgument) for v in arguments.placed):
        return Repeated()
    if not all(isinstance(v, int) for v in arguments.placed) or arguments.open:
        return UNKNOWN
    made = guarded(lambda: range(*arguments.placed))
    return list(made[:MAX_ITEMS]) if isinstance(made, range) and len(made) <= MAX_ITEMS else UNKNOWN


def _items(run: Machine, arguments: Arguments) -> list[Value] | None:
    if arguments.open or len(arguments.placed) > 1:
        return None
    return iterate(run, arguments.placed[0]) if arguments.placed else []


def _list(run: Machine, arguments: Arguments) -> Value:
    items = _items(run, arguments)
    return UNKNOWN if items is None else list(items)


def _tuple(run: Machine, arguments: Arguments) -> Value:
    items = _items(run, arguments)
    return UNKNOWN if items is None else tuple(items)


def _set(run: Machine, arguments: Arguments) -> Value:
    items = _items(run, arguments)
    return UNKNOWN if items is None else to_set(items)


def _dict(run: Machine, arguments: Arguments) -> Value:
    result: dict[Value, Value] = {}
    if arguments.placed:
        first = arguments.placed[0]
        if isinstance(first, dict):
            result.update(first)
        else:
            pairs = iterate(run, first)
            if pairs is None or not all(isinstance(p, (list, tuple)) and len(p) == 2 for p in pairs):
                return UNKNOWN
            for key, value in pairs:
                set_item(result, key, value)
    result.update(arguments.named)
    if arguments.open:
        result[UNKNOWN] = UNKNOWN
    return result


def _sort(run: Machine, arguments: Arguments) -> Value:
    items = iterate(run, arguments.placed[0]) if len(arguments.placed) == 1 else None
    if items is None or not is_known(items) or not is_known(arguments.named.get("reverse", False)):
        return UNKNOWN
    key = arguments.named.get("key")
    keys = items if key is None else [run.call(key, Arguments([v], {})) for v in items]
    if not is_known(keys):
        return UNKNOWN
    order = guarded(
        lambda: sorted(range(len(items)), key=lambda n: keys[n], reverse=bool(arguments.named.get("reverse")))
    )
    return [items[n] for n in order] if isinstance(order, list) else UNKNOWN


def _enumerate(run: Machine, arguments: Arguments) -> Value:
    items = iterate(run, arguments.placed[0]) if arguments.placed else None
    start = arguments.get(1, "start", 0)
    if items is None or not isinstance(start, int):
        return UNKNOWN
    return [(number, item) for number, item in enumerate(items, start)]


def _zip(run: Machine, arguments: Arguments) -> Value:
    columns = [iterate(run, v) for v in arguments.placed]
    if None in columns or arguments.open:
        return UNKNOWN
    return list(zip(*[c for c in columns if c is not None], strict=False))


def _map(run: Machine, arguments: Arguments) -> Value:
    items = iterate(run, arguments.placed[1]) if len(arguments.placed) == 2 else None
    if items is None and len(arguments.placed) == 2 and isinstance(arguments.placed[1], (int, float)):
        raise ProgramRaised
    if items is None:
        return UNKNOWN
    return [run.call(arguments.placed[0], Arguments([item], {})) for item in items]


def _getattr(run: Machine, arguments: Arguments) -> Value:
    name = run.settle(arguments.placed[1]) if len(arguments.placed) > 1 else UNKNOWN
    if not isinstance(name, str):
        return UNKNOWN
    return run.attribute(arguments.placed[0], name)


def _setattr(run: Machine, arguments: Arguments) -> Value:
    if (
        len(arguments.placed) == 3
        and isinstance(arguments.placed[1], str)
        and isinstance(arguments.placed[0], Instance)
    ):
        arguments.placed[0].attributes[arguments.placed[1]] = arguments.placed[2]
    return None


def _callable(run: Machine, arguments: Arguments) -> Value:
    value = arguments.placed[0] if arguments.placed else UNKNOWN
    if isinstance(value, (Function, Bound, Class, Method)):
        return True
    return False if is_known(value) or isinstance(value, Module) else UNKNOWN


def _type(run: Machine, arguments: Arguments) -> Value:
    value = arguments.placed[0] if len(arguments.placed) == 1 else UNKNOWN
    if isinstance(value, Instance):
        return value.cls
    name = TYPES.get(type(value))
    return UNKNOWN if name is None else External("builtins." + name)


def _vars(run: Machine, arguments: Arguments) -> Value:
    value = arguments.placed[0] if arguments.placed else UNKNOWN
    if isinstance(value, (Module, Instance, Namespace)):
        return run.attribute(value, "__dict__")
    return UNKNOWN


def _any_all(wanted: bool) -> Callable[[Machine, Arguments], Value]:
    def function(run: Machine, arguments: Arguments) -> Value:
        items = _items(run, arguments)
        tests = [UNKNOWN if items is None else None] if items is None else [truth(v) for v in items]
        if wanted in tests:
            return wanted
        return UNKNOWN if None in tests or UNKNOWN in tests else not wanted

    return function


BUILTINS: dict[str, Callable[[Machine, Arguments], Value]] = {
    "range": _range, "list": _list, "tuple": _tuple, "set": _set, "frozenset": _set, "dict": _dict, "sorted": _sort,
    "enumerate": _enumerate, "zip": _zip, "map": _map, "getattr": _getattr, "setattr": _setattr, "callable": _callable, "type": _type, "vars": _vars,
    "any": _any_all(True), "all": _any_all(False), "print": lambda run, arguments: None, "iter": _list,
}  # fmt: skip
