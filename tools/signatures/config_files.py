"""Settings of ml_collections: what `get_config()` of the file gives that `--config` names, each an option `--config.name`."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from ml_agent.tools.signatures.argparse_option import TYPE_NAMES, typed
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import SETTINGS_FILE, Option, OptionType, Signature
from ml_agent.tools.signatures.sources import Sources
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, External, Method, Native, Value

MOST_FILES, MOST_SETTINGS, DEEPEST = 100, 1_000, 8
TYPES: dict[type, OptionType] = {bool: "bool", int: "int", float: "float", str: "str"}
ADD_NOTHING = ("lock", "unlock", "unlocked", "items", "keys", "values", "get_type", "to_dict", "to_yaml", "to_json")


class Setting(NamedTuple):
    """One value, and where it is set."""

    value: Value
    path: str
    line: int


class Settings(Native):
    """A ConfigDict."""

    def __init__(self, run: Interpreter, arguments: Arguments) -> None:
        self.run = run
        self.found: dict[str, Setting] = {}
        self.open = arguments.open
        """Whether there may be settings that were not read."""
        self._take(arguments, arguments.get(0, "initial_dictionary"))

    def attribute(self, name: str) -> Value:
        """A setting, or a method."""
        if name in self.found:
            return self.found[name].value
        if name in ("get", "get_ref", "get_oneway_ref"):
            return Method(lambda given: self.item(given.get(0, "key")))
        if name == "update":
            return Method(self._update)
        self.open = self.open or name not in ADD_NOTHING
        return UNKNOWN

    def item(self, key: Value) -> Value:
        """config["name"]."""
        return self.attribute(key) if isinstance(key, str) else UNKNOWN

    def store(self, name: str, value: Value) -> None:
        """config.name = value."""
        self._set(name, value, *self.run.place)

    def note_handed(self, name: str) -> None:
        """Foreign code may add settings."""
        self.open = True

    def _update(self, given: Arguments) -> None:
        for value in (*given.placed, given.named):
            self._take(given, value)

    def _take(self, given: Arguments, value: Value) -> None:
        if isinstance(value, Settings):
            self.found |= value.found
            self.open = self.open or value.open
        elif isinstance(value, dict):
            for name, inner in value.items():
                self.open = self.open or not isinstance(name, str)
                self._set(str(name), inner, given.path, given.line)
        elif value is not None:
            self.open = True

    def _set(self, name: str, value: Value, path: str, line: int) -> None:
        if isinstance(value, dict):
            inner = Arguments([value], {})
            inner.path, inner.line = path, line
            value = Settings(self.run, inner)
        self.found[name] = Setting(value, path, line)

    def walk(self, prefix: str = "", depth: int = DEEPEST) -> Iterator[tuple[str, Setting]]:
        """Every setting with its dotted name; one that holds others before these."""
        for name, setting in self.found.items():
            yield prefix + name, setting
            if isinstance(setting.value, Settings) and depth:
                yield from setting.value.walk(f"{prefix}{name}.", depth - 1)


def settings_of(run: Interpreter, given: str, folder: str = ".") -> Settings | None:
    """What a file gives, as it is named on the command line: FILE or FILE:ARGUMENT; None where that cannot be followed."""
    file, _, argument = given.partition(":")
    path = posixpath.normpath(posixpath.join(folder, file))
    if not run.sources.exists(path):
        return None
    found = run.result_of(path, "get_config", [argument] if argument else [])
    if not isinstance(found, Settings):
        return None
    found.open = found.open or not run.complete
    return found


def options_of(flag: str, files: Sequence[Settings], *, whole: bool = False) -> dict[str, Option]:
    """The options that set what these files hold; of several files with the types and defaults in which they agree.

    Args:
        flag: the option that names the file.
        files: what they give.
        whole: with those that replace a whole table of settings.
    """
    found: dict[str, list[Setting]] = {}
    for settings in files:
        for name, setting in islice(settings.walk(), MOST_SETTINGS):
            if whole or not isinstance(setting.value, Settings):
                found.setdefault(f"{flag}.{name}", []).append(setting)
    sure = len(files) == 1 and not files[0].open
    return {dest: _option(dest, found[dest], files[0].run, sure=sure) for dest in islice(found, MOST_SETTINGS)}


def _option(dest: str, settings: Sequence[Setting], run: Interpreter, *, sure: bool) -> Option:
    types = {_type(one.value) for one in settings}
    kind = types.pop() if len(types) == 1 else "float" if types == {"int", "float"} else "unknown"
    values = [_text(one.value, run) for one in settings]
    switch = kind == "bool"
    return Option(
        dest=dest, flags=(f"--{dest}",), negative_flags=(f"--no{dest}",) if switch else (), type=kind,
        nargs="?bool" if switch else None, switch_value="True" if switch else None,
        default=values[0] if len(set(values)) == 1 else None, path=settings[0].path, line=settings[0].line, sure=sure,
    )  # fmt: skip


def _type(value: Value) -> OptionType:
    return TYPE_NAMES.get(value.name, "unknown") if isinstance(value, External) else TYPES.get(type(value), "unknown")


def _text(value: Value, run: Interpreter) -> str | None:
    return typed(repr(value) if isinstance(value, (list, tuple)) and typed(value, run)[1] else value, run)[0]


def files_beside(sources: Sources, script: str) -> list[str]:
    """The files that define `get_config`, of the nearest folder above a script that has any below it."""
    files = [
        path for path in sorted(sources.files or ()) if path.endswith(".py") and "get_config" in sources.words(path)
    ]
    folder = script
    while folder:
        folder = posixpath.dirname(folder)
        if near := [path for path in files if path.startswith(f"{folder}/" if folder else "")]:
            return near[:MOST_FILES]
    return []


def follower(sources: Sources, script: str) -> Interpreter:
    """What follows the files of a script; it takes no flags that they define."""
    return Interpreter(sources, script, FACTORIES)


def configured(signature: Signature, values: Mapping[str, Any], folder: str, sources: Sources) -> Signature:
    """A signature with the settings of the file that a call names, or else of the default; itself where they are not known.

    Args:
        signature: of the script.
        values: what the call gives, by dest.
        folder: where it is called.
        sources: the repository's.
    """
    run = follower(sources, signature.path)
    for option in (one for one in signature.options if one.converter == SETTINGS_FILE):
        given = values.get(option.dest, option.default)
        settings = settings_of(run, given, folder) if isinstance(given, str) else None
        if settings is None or settings.open:
            continue
        others = (one for one in signature.options if not one.dest.startswith(f"{option.dest}."))
        signature = msgspec.structs.replace(
            signature, options=(*others, *options_of(option.dest, [settings], whole=True).values()),
            unseen=tuple(one for one in signature.unseen if (one.path, one.line) != (option.path, option.line)),
        )  # fmt: skip
    return signature


def _make(run: Interpreter, name: str, arguments: Arguments) -> Value:
    return Settings(run, arguments)


def _create(run: Interpreter, name: str, arguments: Arguments) -> Value:
    given = Arguments([arguments.named], {}, arguments.open)
    given.path, given.line = arguments.path, arguments.line
    return Settings(run, given)


def _held(run: Interpreter, name: str, arguments: Arguments) -> Value:
    return arguments.get(0, "default" if name.endswith("FieldReference") else "field_type", UNKNOWN)


FACTORIES: dict[str, Factory] = {
    f"{library}.{name}": factory
    for library in ("ml_collections", "ml_collections.config_dict", "ml_collections.config_dict.config_dict")
    for name, factory in {
        "ConfigDict": _make, "FrozenConfigDict": _make, "create": _create, "placeholder": _held,
        "required_placeholder": _held, "FieldReference": _held,
    }.items()
}  # fmt: skip
