"""ml_collections: configuration files that give a tree of settings, each of which is a flag (`--config.model.width=8`)."""

import ast
import posixpath
import re
from collections.abc import Iterable

from ml_agent.tools.signatures.argparse_option import typed
from ml_agent.tools.signatures.fields import VALUE_TYPES
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.signatures.sources import Sources
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Instance, Native, Value

MAKER = "get_config"
"""The function that a configuration file must define."""
MAX_FILES = 100
MAX_SETTINGS = 1_000
MAX_LOOKED_AT = 4_000
MAX_DEPTH = 8
MODULES = ("ml_collections", "ml_collections.config_dict", "ml_collections.config_dict.config_dict")


class ConfigDict(Native):
    """ConfigDict(...): settings by name, some of them ConfigDicts themselves."""

    def __init__(self, given: Value = None) -> None:
        self.settings: dict[str, Value] = {}
        self.take(given)

    def take(self, given: Value) -> None:
        """Set what a dictionary or another ConfigDict holds."""
        items = given.settings if isinstance(given, ConfigDict) else given if isinstance(given, dict) else {}
        for name, value in items.items():
            if isinstance(name, str):
                self.store(name, value)

    def store(self, name: str, value: Value) -> None:
        """Set one; a dictionary becomes a ConfigDict."""
        known = self.settings.get(name)
        if isinstance(value, dict):
            value = ConfigDict(value)
        self.settings[name] = known if value is UNKNOWN and known is not None else value

    def attribute(self, name: str) -> Value:
        """A setting, or a method."""
        return self.settings[name] if name in self.settings else super().attribute(name)

    def item(self, key: Value) -> Value:
        """config["name"]."""
        return self.settings.get(key, UNKNOWN) if isinstance(key, str) else UNKNOWN

    def do_update(self, arguments: Arguments) -> Value:
        """update(...)."""
        for given in (*arguments.placed, arguments.named):
            self.take(given)
        return None

    def do_unlocked(self, arguments: Arguments) -> Value:
        """With config.unlocked()."""
        return self

    def do_lock(self, arguments: Arguments) -> Value:
        """lock(), which gives back what it locks."""
        return self

    do_unlock = do_lock

    def do_to_dict(self, arguments: Arguments) -> Value:
        """to_dict(): the settings, of which a new ConfigDict may be made."""
        return ConfigDict(self)

    def do_get(self, arguments: Arguments) -> Value:
        """get(name, default)."""
        return self.settings.get(str(arguments.get(0, "key")), arguments.get(1, "default"))

    def do_copy_and_resolve_references(self, arguments: Arguments) -> Value:
        """A copy."""
        return ConfigDict(self)


def tree_of(run: Interpreter, path: str) -> dict[str, Value] | None:
    """The settings of a configuration file by dotted name; None where the file could not be followed."""
    inner = Interpreter(run.sources, path, run.factories)
    made = inner.value_of(MAKER)
    return dict(leaves(made)) if isinstance(made, ConfigDict) else None


def leaves(config: ConfigDict) -> list[tuple[str, Value]]:
    """The settings of a tree with their dotted names, in order; of one that holds itself as many as are looked at."""
    found: list[tuple[str, Value]] = []
    waiting: list[tuple[str, Value, int]] = [("", config, 0)]
    looked_at = 0
    while waiting and looked_at < MAX_LOOKED_AT and len(found) < MAX_SETTINGS:
        looked_at += 1
        name, value, depth = waiting.pop()
        value = value.native if isinstance(value, Instance) and value.native is not None else value
        if isinstance(value, ConfigDict) and depth <= MAX_DEPTH:
            inner = list(value.settings.items())[:MAX_SETTINGS]
            waiting += [(f"{name}.{key}" if name else key, one, depth + 1) for key, one in reversed(inner)]
        else:
            found.append((name, value))
    return found


def configuration_files(run: Interpreter) -> list[str]:
    """The files of the repository that define such a configuration."""
    sources = run.sources
    candidates = (p for p in sorted(sources.files or ()) if p.endswith(".py") and MAKER in sources.words(p))
    return [p for p in candidates if _defines_maker(sources.tree(p))][:MAX_FILES]


def _defines_maker(tree: ast.Module | None) -> bool:
    return tree is not None and any(isinstance(n, ast.FunctionDef) and n.name == MAKER for n in tree.body)


def file_at(run: Interpreter, word: str) -> str:
    """The file that a value of the flag names (`path.py:argument`), relative to the root; "" where it is none of them."""
    path = posixpath.normpath(word.partition(":")[0].removeprefix(f"{run.sources.root}/"))
    return path if run.sources.exists(path) else ""


_ASSIGNED = re.compile(r"^\s*+[A-Za-z_]\w*+((?:\.\w++)++)\s*+=(?!=)")


def places_of(sources: Sources, paths: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Where settings are assigned, by dotted name: `_C.SOLVER.BASE_LR = 0.1`."""
    found: dict[str, tuple[str, int]] = {}
    for path in paths:
        for number, line in enumerate((sources.text(path) or "").split("\n"), 1):
            assigned = _ASSIGNED.match(line[:200])
            if assigned is not None:
                found.setdefault(assigned[1][1:], (path, number))
    return found


def options_of(run: Interpreter, flag: str, trees: dict[str, dict[str, Value]]) -> list[Option]:
    """The settings of several files as options; a default is known where all files that have it agree."""
    values: dict[str, list[Value]] = {}
    first: dict[str, str] = {}
    for path, tree in trees.items():
        for name, value in tree.items():
            values.setdefault(name, []).append(value)
            first.setdefault(name, path)
    places = places_of(run.sources, _readable(run, trees))
    return [_option(run, f"{flag}.{name}", given, places.get(name, (first[name], 0))) for name, given in values.items()]


def _readable(run: Interpreter, trees: Iterable[str]) -> list[str]:
    """The configuration files, and the modules beside them from which they may have their settings."""
    folders = {posixpath.dirname(path) for path in trees}
    beside = (p for p in sorted(run.sources.files or ()) if p.endswith(".py") and posixpath.dirname(p) in folders)
    return [*dict.fromkeys([*trees, *beside])][:MAX_FILES]


def _option(run: Interpreter, name: str, values: list[Value], place: tuple[str, int]) -> Option:
    kinds = {
        VALUE_TYPES.get(type(value), "json" if isinstance(value, (list, tuple)) else "unknown") for value in values
    }
    kinds -= {"unknown"} if len(kinds) > 1 else set()
    kind = "float" if kinds == {"int", "float"} else kinds.pop() if len(kinds) == 1 else "unknown"
    texts = {typed(value, run) for value in values}
    default, known = texts.pop() if len(texts) == 1 else (None, False)
    switch = kind == "bool"
    return Option(
        dest=name, flags=(f"--{name}",), negative_flags=(f"--no{name}",) if switch else (), type=kind, default=default,
        nargs="?bool" if switch else None, switch_value="True" if switch else None, path=place[0], line=place[1], sure=known,
    )  # fmt: skip


def _make(run: Interpreter, name: str, arguments: Arguments) -> Value:
    return ConfigDict(arguments.get(0, "initial_dictionary"))


def _placeholder(run: Interpreter, name: str, arguments: Arguments) -> Value:
    return None


def _reference(run: Interpreter, name: str, arguments: Arguments) -> Value:
    return arguments.get(0, "default")


FACTORIES: dict[str, Factory] = {
    f"{module}.{name}": factory
    for module in MODULES
    for name, factory in {
        "ConfigDict": _make, "FrozenConfigDict": _make, "create": lambda run, name, arguments: ConfigDict(arguments.named),
        "placeholder": _placeholder, "required_placeholder": _placeholder, "FieldReference": _reference,
    }.items()
}  # fmt: skip
