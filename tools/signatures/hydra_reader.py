"""hydra and OmegaConf: the keys of the YAML configuration are what may be overridden."""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from tools.signatures.interpreter import Factory, Interpreter
from tools.signatures.model import Option, OptionType, Signature, Unseen
from tools.signatures.values import UNKNOWN, Arguments, Method, Native, Value

MAX_KEYS = 2_000
MAX_YAML_BYTES = 300_000
TYPES: dict[type, OptionType] = {bool: "bool", int: "int", float: "float", str: "str"}
MISSING = "???"


class Hydra(Native):
    """@hydra.main(config_path=..., config_name=...)."""

    def __init__(self, run: Interpreter, settings: Arguments, function: Value) -> None:
        self.run = run
        self.settings = settings
        self.function = function
        run.made.append(self)

    def call(self, arguments: Arguments) -> Value:
        """Calling the decorated function parses the command line."""
        self.run.note_parsed(self, strict=True)
        return UNKNOWN

    def signatures(self) -> list[Signature]:
        """Options are the keys of the configuration and the groups of its defaults list."""
        folder, name = self.settings.get(0, "config_path"), self.settings.get(1, "config_name")
        options: dict[str, Option] = {}
        known = isinstance(folder, str) and isinstance(name, str)
        if isinstance(folder, str) and isinstance(name, str):
            base = posixpath.normpath(posixpath.join(posixpath.dirname(self.settings.path), folder))
            known = self._read(base, name, "", options, 0)
        return [
            Signature(
                path=self.run.script, framework="hydra", options=tuple(options.values()), syntax="overrides",
                accepts_unknown=not known, allow_abbrev=False, unseen=() if known else (_configuration(self.run.script, name),),
            )
        ]  # fmt: skip

    def _read(self, base: str, name: str, package: str, options: dict[str, Option], depth: int) -> bool:
        """Add the keys of one file and of what its defaults list names; False where a part is not there."""
        path = self._file(base, name)
        data = load_yaml(self.run, path) if path is not None else None
        if path is None or data is None or depth > 6:
            return False
        known = True
        data.pop("hydra", None)
        for entry in data.pop("defaults", None) or []:
            known = self._default(base, entry, package, options, depth) and known
        for option in flat_options(data, path, self.run.sources.text(path) or "", package):
            options[option.dest] = option
        return known

    def _file(self, base: str, name: str) -> str | None:
        stem = name.removesuffix(".yaml").removesuffix(".yml")
        for suffix in (".yaml", ".yml"):
            path = posixpath.normpath(f"{base}/{stem}{suffix}")
            if self.run.sources.exists(path):
                return path
        return None

    def _default(self, base: str, entry: Any, package: str, options: dict[str, Option], depth: int) -> bool:
        """One entry of a defaults list: a file, or a group and the choice in it."""
        if isinstance(entry, str):
            return entry == "_self_" or self._read(base, entry, package, options, depth + 1)
        if not isinstance(entry, dict) or len(entry) != 1:
            return False
        group, choice = next(iter(entry.items()))
        group = str(group).removeprefix("optional ").removeprefix("override ").strip()
        place, _, renamed = group.partition("@")
        key = renamed if renamed and renamed != "_global_" else place.replace("/", ".")
        if place.startswith(("hydra/", "/hydra")):
            return True
        choices = self._choices(f"{base}/{place}")
        options[place] = Option(
            dest=place, choices=choices, default=choice if isinstance(choice, str) else None, required=choice == MISSING,
            path=self.settings.path, line=self.settings.line, sure=bool(choices),
        )  # fmt: skip
        if not isinstance(choice, str) or choice == MISSING:
            return choice is None
        inner = f"{package}{key}." if renamed != "_global_" else ""
        return self._read(f"{base}/{place}", choice, inner, options, depth + 1)

    def _choices(self, folder: str) -> tuple[str, ...]:
        """The files of a group."""
        sources = self.run.sources
        if sources.files is not None:
            prefix = posixpath.normpath(folder) + "/"
            names = [f[len(prefix) :] for f in sources.files if f.startswith(prefix)]
        else:
            place = sources.root / folder
            names = [p.name for p in place.iterdir()] if sources.is_folder(folder) else []
        return tuple(sorted(n.rpartition(".")[0] for n in names if n.endswith((".yaml", ".yml")) and "/" not in n))


def load_yaml(run: Interpreter, path: str) -> dict[str, Any] | None:
    """The mapping in a YAML file; None where it is none."""
    text = run.sources.text(path)
    if text is None or len(text) > MAX_YAML_BYTES:
        return None
    import yaml  # one repository in many has such files

    try:
        data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError):
        return None
    return data if isinstance(data, dict) else {} if data is None else None


def flat_options(data: Mapping[Any, Any], path: str, text: str, prefix: str = "") -> Iterator[Option]:
    """One option a leaf, with dotted names."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        lines.setdefault(line.partition(":")[0].strip(), number)
    for count, (name, value) in enumerate(_leaves(data, prefix)):
        if count >= MAX_KEYS:
            return
        kind: OptionType = "json" if isinstance(value, (list, dict)) else TYPES.get(type(value), "unknown")
        missing = value == MISSING
        shown = None if value is None or missing else str(value).lower() if isinstance(value, bool) else str(value)
        yield Option(
            dest=name, type="unknown" if missing else kind, default=shown, required=missing, path=path,
            line=lines.get(name.rpartition(".")[2], 0), converter="yaml", sure=not missing,
        )  # fmt: skip


def _leaves(data: Mapping[Any, Any], prefix: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and value and depth < 12:
            yield from _leaves(value, f"{name}.", depth + 1)
        else:
            yield name, value


def _configuration(path: str, name: Value) -> Unseen:
    """Keys of a configuration file that could not be read whole."""
    return Unseen(
        origin="configuration", name=name if isinstance(name, str) else "a file chosen when it runs", path=path
    )


def _main(run: Interpreter, name: str, arguments: Arguments) -> Value:
    if arguments.placed and not isinstance(arguments.placed[0], str):
        return Hydra(run, Arguments([], {}), arguments.placed[0])
    return Method(lambda given: Hydra(run, arguments, given.get(0, "f")))


class Overrides(Native):
    """OmegaConf.from_cli(): any key; those of the files that were loaded before are known."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run

    def signatures(self) -> list[Signature]:
        """The keys of every YAML file that was loaded by a known name."""
        found: dict[str, Option] = {}
        for made in self.run.made:
            if isinstance(made, LoadedYaml):
                found |= {o.dest: o for o in flat_options(made.data, made.path, self.run.sources.text(made.path) or "")}
        return [
            Signature(
                path=self.run.script, framework="hydra", options=tuple(found.values()), syntax="overrides",
                accepts_unknown=True, allow_abbrev=False, unseen=(_configuration(self.run.script, "a file given by name"),),
            )
        ]  # fmt: skip


class LoadedYaml(Native):
    """OmegaConf.load(path)."""

    def __init__(self, run: Interpreter, path: str, data: dict[str, Any]) -> None:
        self.path = path
        self.data = data
        run.made.append(self)


def _load(run: Interpreter, name: str, arguments: Arguments) -> Value:
    word = arguments.get(0, "file_")
    if not isinstance(word, str):
        return UNKNOWN
    inside = word.removeprefix(f"{run.sources.root}/")
    for folder in ("", posixpath.dirname(run.script)):
        path = posixpath.normpath(posixpath.join(folder, inside))
        data = load_yaml(run, path) if run.sources.exists(path) else None
        if data is not None:
            return LoadedYaml(run, path, data)
    return UNKNOWN


def _from_cli(run: Interpreter, name: str, arguments: Arguments) -> Value:
    made = Overrides(run)
    run.note_parsed(made, strict=False)
    return UNKNOWN


FACTORIES: dict[str, Factory] = {
    "hydra.main": _main,
    "dora.hydra_main": _main,
    "dora.hydra.hydra_main": _main,
    "omegaconf.OmegaConf.from_cli": _from_cli,
    "omegaconf.OmegaConf.load": _load,
}
