"""hydra and OmegaConf: the keys of the YAML configuration are what may be overridden."""

import posixpath
from collections.abc import Mapping
from typing import Any

import msgspec

from ml_agent.tools.signatures.config_dict import places_of
from ml_agent.tools.signatures.fields import dataclass_fields
from ml_agent.tools.signatures.hydra_defaults import (
    MISSING,
    SUFFIXES,
    Composition,
    ConfigurationSource,
    DefaultsEntry,
    GroupChoices,
    LoadedConfiguration,
    combinations,
)
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Signature, Unseen
from ml_agent.tools.signatures.sweeps import CONFIGURATION, GROUP, GROUPS, choices_in
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Class, Instance, Method, Native, Value
from ml_agent.tools.signatures.yaml_keys import MAX_KEYS, flat_options, load_yaml

MOST_READ = 2_000_000
"""Characters that the configurations of one command line may have together."""
LEAST_COUNTED = 4_000
"""For a file, however short."""
MAX_COMBINATIONS = 16


class Hydra(Native):
    """@hydra.main(config_path=..., config_name=...)."""

    def __init__(self, run: Interpreter, settings: Arguments, function: Value) -> None:
        self.run = run
        self.settings = settings
        self.function = function
        self.old = False
        """Whether it is written for hydra before 1.1: config_path="conf/config.yaml"."""
        run.made.append(self)

    def call(self, arguments: Arguments) -> Value:
        """Calling the decorated function parses the command line."""
        self.run.note_parsed(self, strict=True)
        return UNKNOWN

    def signatures(self) -> list[Signature]:
        """Options are the keys of the configuration and the groups of its defaults list, as the command line chooses them."""
        folder, name = self.settings.get(0, "config_path"), self.settings.get(1, "config_name")
        if _is_file(folder):  # as hydra took it before 1.0, and until 1.1 beside its own form
            self.old = True
            folder, name = posixpath.dirname(folder) or ".", posixpath.basename(folder)
        if folder is None and self.settings.get(2, "version_base", UNKNOWN) is UNKNOWN:
            folder = "."
        first = self._read(folder, name, ())
        given = self.run.given(first).get(GROUPS) if self.run.given is not None else None
        return [self._read(folder, name, given) if given else first]

    def _read(self, folder: Value, name: Value, words: tuple[tuple[str, str], ...]) -> Signature:
        """The signature for these choices of the command line."""
        assigned = dict(words)
        folder, name = assigned.get("--config-path", folder), assigned.get("--config-name", name)
        files = Files(self.run, folder, self.settings.path, old=self.old)
        known = isinstance(name, str) and (folder is None or isinstance(folder, str)) and "--config-dir" not in assigned
        known = known and self.settings.get(None, "strict") is not False
        options: dict[str, Option] = {}
        groups = files.groups()
        others = files.at_top() if name is None or not files.has(name) else ()
        if isinstance(name, str) and not others:
            several, added, removed = chosen_groups(words, groups)
            for way in combinations(several, MAX_COMBINATIONS):
                made = Composition(files, GroupChoices(way, added, removed))
                made.run(name)
                options |= self._options(made, files)
                known = known and made.whole and files.whole
        for other in others:
            options = self._keys_of(other, files) | options
        if others:
            known, options = False, {CONFIGURATION: _choice_of_configuration(others, self.settings)} | options
        addable = tuple(self._group(g, names, None) for g, names in groups.items() if g not in options)
        if self.old:  # any group may be chosen without a +
            options, addable = options | {group.dest: group for group in addable}, ()
        return Signature(
            path=self.run.script, framework="hydra", options=tuple(options.values()), syntax="overrides",
            accepts_unknown=not known, allow_abbrev=False, unseen=() if known else (_configuration(self.settings, name),),
            depends_on=(GROUPS,), addable=addable, chosen=words, configurations=files.names() if files.located else (),
        )  # fmt: skip

    def _keys_of(self, name: str, files: "Files") -> dict[str, Option]:
        """The keys of one of several configurations, none of which is the default: which of them are needed depends on the choice."""
        made = Composition(files, GroupChoices())
        made.run(name)
        keys = self._options(made, files)
        return {dest: msgspec.structs.replace(one, required=False, sure=False) for dest, one in keys.items()}

    def _options(self, made: Composition, files: "Files") -> dict[str, Option]:
        """The keys of a composition, by name."""
        keys: dict[str, Option] = {}
        filled = (
            places_of(self.run.sources, [self.run.script]) if any(MISSING in p.loaded.text for p in made.parts) else {}
        )
        for loaded, package in made.parts:
            data = dict(loaded.data)
            own = data.pop("hydra", None)
            if isinstance(own, dict) and own.get("mode") == "MULTIRUN":
                data["hydra.mode"] = "MULTIRUN"
            elif isinstance(own, dict) and own.get("searchpath"):
                made.whole = False
            for option in flat_options(data, loaded.path, loaded.text, f"{package}." if package else ""):
                if len(keys) >= MAX_KEYS:
                    made.whole = False
                    break
                if option.required and option.dest in keys:
                    continue
                if option.dest in filled:  # by the program itself: cfg.model.inputs = 3
                    option = msgspec.structs.replace(option, required=False)
                for other in [k for k in keys if k.startswith(option.dest + ".")]:
                    del keys[other]
                above = option.dest.split(".")
                for end in range(1, len(above)):
                    keys.pop(".".join(above[:end]), None)
                keys[option.dest] = option
        found = {key: self._group(key, files.choices(e.folder), e) for key, e in made.groups.items()}
        return found | {dest: option for dest, option in keys.items() if dest not in found}

    def _group(self, key: str, choices: tuple[str, ...], entry: DefaultsEntry | None) -> Option:
        """A group as an option whose values are its files."""
        name = entry.name if entry is not None else None
        default = name if isinstance(name, str) and name != MISSING else None
        if isinstance(name, list):  # several files at once
            default = f"[{','.join(map(str, name))}]"
        optional = entry is not None and entry.optional
        return Option(
            dest=key, choices=choices, default=default, required=name == MISSING, converter=GROUP, path=self.settings.path,
            line=self.settings.line, sure=bool(choices) and not optional,
        )  # fmt: skip


class Files(ConfigurationSource):
    """The YAML files of a folder, and what the program stored by name."""

    def __init__(self, run: Interpreter, folder: Value, script: str, *, old: bool = False) -> None:
        self.run = run
        self.old = old
        known = isinstance(folder, str) and "://" not in folder
        self.base = posixpath.normpath(posixpath.join(posixpath.dirname(script), folder)) if known else None
        stored = [made for made in run.made if isinstance(made, Stored)]
        self.stored = {made.path: made for made in stored if made.path}
        self.located = (folder is None or known) and len(self.stored) == len({id(s) for s in stored})
        """Whether it is known which configurations there are."""
        self.whole = self.located
        """Whether it is known what stands in those that were read, too."""
        self._left = MOST_READ

    def load(self, path: str) -> LoadedConfiguration | None:
        """A file, or what was stored; nothing more once much was read: a defaults list may name its own file many times."""
        if self._left <= 0:
            self.whole = False
            return None
        loaded = self._load(path)
        self._left -= LEAST_COUNTED + len(loaded.text if loaded is not None else "")
        return loaded

    def _load(self, path: str) -> LoadedConfiguration | None:
        for suffix in SUFFIXES if self.base is not None else ():
            place = posixpath.normpath(f"{self.base}/{path}{suffix}")
            if self.run.sources.exists(place):
                data = load_yaml(self.run.sources, place)
                return None if data is None else LoadedConfiguration(data, place, self.run.sources.text(place) or "")
        stored = self.stored.get(path)
        if stored is None:
            return None
        self.whole = self.whole and stored.whole
        header = f"# @package {stored.package}\n" if stored.package else ""
        return LoadedConfiguration(dict(stored.data), stored.file, header)

    def has(self, name: Value) -> bool:
        """Whether a configuration is there, or may be where nobody can see it."""
        stem = (
            next((name.removesuffix(end) for end in SUFFIXES if name.endswith(end)), name)
            if isinstance(name, str)
            else ""
        )
        return not self.whole or not stem or self._load(stem) is not None

    def at_top(self) -> tuple[str, ...]:
        """Configurations that are in no group: one of them is chosen when a program starts without a default that is there."""
        return tuple(name for name in self.names() if "/" not in name)[:MAX_COMBINATIONS]

    def names(self) -> tuple[str, ...]:
        """Every configuration by its path without suffix, but for hydra's own."""
        return tuple(sorted({path for path in [*self._files(), *self.stored] if path.split("/")[0] != "hydra"}))

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Every group with its choices, but for hydra's own."""
        found: dict[str, list[str]] = {}
        for path in self.names():
            group, _, name = path.rpartition("/")
            if group:
                found.setdefault(group, []).append(name)
        return {group: tuple(sorted(set(names))) for group, names in sorted(found.items())}

    def choices(self, group: str) -> tuple[str, ...]:
        """The choices of one group."""
        return self.groups().get(group, ())

    def _files(self) -> list[str]:
        """The paths of the YAML files without their suffixes."""
        sources = self.run.sources
        if self.base is None:
            return []
        prefix = "" if self.base == "." else self.base + "/"
        if sources.files is not None:
            names = [f for f in sources.files if f.startswith(prefix)]
        elif sources.is_folder(self.base):
            names = [p.relative_to(sources.root).as_posix() for p in (sources.root / self.base).rglob("*.y*ml")]
        else:
            names = []
        return [n.removeprefix(prefix).rpartition(".")[0] for n in names if n.endswith(SUFFIXES)]


def chosen_groups(
    words: tuple[tuple[str, str], ...], groups: Mapping[str, tuple[str, ...]]
) -> tuple[dict[str, list[Any]], list[tuple[str, Any]], frozenset[str]]:
    """What command line words choose: the values of each key, what is added with +, what is removed with ~."""
    several: dict[str, list[Any]] = {}
    added: list[tuple[str, Any]] = []
    removed: set[str] = set()
    for key, value in words:
        name = key.lstrip("+~")
        names: list[Any] = choices_in(value, groups.get(name.partition("@")[0], ()))
        if key.startswith("~"):
            removed.add(name)
        elif key.startswith("+"):
            added.append((name, names[0] if names else None))
        elif not key.startswith("-"):
            several[name] = names
    return several, added, frozenset(removed)


def _choice_of_configuration(names: tuple[str, ...], called: Arguments) -> Option:
    """What chooses one of several configurations, where the default is none that is there."""
    text = "configuration, recipe, experiment or model that is used"
    return Option(
        dest=CONFIGURATION,
        flags=(f"--{CONFIGURATION}", "-cn"),
        choices=names,
        help=text,
        path=called.path,
        line=called.line,
        sure=False,
    )


def _configuration(called: Arguments, name: Value) -> Unseen:
    """Keys of a configuration file that could not be read whole."""
    named = name if isinstance(name, str) else "a file chosen when it runs"
    return Unseen(origin="configuration", name=named, path=called.path, line=called.line)


def _is_file(folder: Value) -> bool:
    """Whether config_path names a file and not the folder of one."""
    return isinstance(folder, str) and folder.endswith(SUFFIXES)


def _main(run: Interpreter, name: str, arguments: Arguments) -> Value:
    if arguments.placed and not isinstance(arguments.placed[0], str):
        return Hydra(run, Arguments([], {}), arguments.placed[0])
    return Method(lambda given: Hydra(run, arguments, given.get(0, "f")))


class Overrides(Native):
    """OmegaConf.from_cli(): any key; those of the files that were loaded before are known."""

    def __init__(self, run: Interpreter, called: Arguments) -> None:
        self.run = run
        self.called = called

    def signatures(self) -> list[Signature]:
        """The keys of every YAML file that was loaded by a known name."""
        found: dict[str, Option] = {}
        for made in self.run.made:
            if isinstance(made, LoadedYaml):
                found |= {o.dest: o for o in flat_options(made.data, made.path, self.run.sources.text(made.path) or "")}
        return [
            Signature(
                path=self.run.script, framework="omegaconf", options=tuple(found.values()), syntax="overrides",
                accepts_unknown=True, allow_abbrev=False, unseen=(_configuration(self.called, "a file given by name"),),
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
        data = load_yaml(run.sources, path) if run.sources.exists(path) else None
        if data is not None:
            return LoadedYaml(run, path, data)
    return UNKNOWN


def _from_cli(run: Interpreter, name: str, arguments: Arguments) -> Value:
    made = Overrides(run, arguments)
    run.note_parsed(made, strict=False)
    return UNKNOWN


MAX_NESTING = 6


class Store(Native):
    """ConfigStore.instance()."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        run.made.append(self)

    def do_store(self, arguments: Arguments) -> Value:
        """Keep one configuration."""
        self.run.made.append(Stored(self.run, arguments))
        return None


class Stored(Native):
    """store(group=..., name=..., node=...)."""

    def __init__(self, run: Interpreter, arguments: Arguments) -> None:
        name, group = arguments.get(0, "name"), arguments.get(2, "group")
        package = arguments.get(3, "package")
        stem = name.removesuffix(".yaml") if isinstance(name, str) else ""
        known = bool(stem) and (group is None or isinstance(group, str)) and not arguments.open
        self.path = f"{group}/{stem}" if known and group else stem if known else ""
        """Group and name; "" where it could not be read."""
        self.package = package if isinstance(package, str) else ""
        self.whole = True
        self.file = arguments.path
        self.data = self._data(run, arguments.get(1, "node"), 0)

    def _data(self, run: Interpreter, node: Value, depth: int) -> dict[str, Any]:
        """The keys of a node, as they would stand in a file."""
        if isinstance(node, dict):
            return {key: self._plain(run, value, depth) for key, value in node.items() if isinstance(key, str)}
        cls = node.cls if isinstance(node, Instance) else node
        if not isinstance(cls, Class) or depth > MAX_NESTING:
            self.whole = False
            return {}
        fields, more = dataclass_fields(run, cls)
        self.whole = self.whole and not more
        given = node.attributes if isinstance(node, Instance) else {}
        found: dict[str, Any] = {}
        for field in fields:
            value = given.get(field.name, MISSING if field.required else field.default)
            nested = field.kind.nested
            found[field.name] = (
                self._data(run, nested, depth + 1)
                if nested is not None and not isinstance(value, (Instance, dict)) and value is not None
                else self._plain(run, value, depth)
            )
        return found

    def _plain(self, run: Interpreter, value: Value, depth: int) -> Any:
        if isinstance(value, (Instance, dict)):
            return self._data(run, value, depth + 1)
        if isinstance(value, (list, tuple)):
            return [self._plain(run, item, depth) for item in value]
        return None if value is UNKNOWN or not isinstance(value, (bool, int, float, str)) else value


def instance(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """ConfigStore.instance() and ConfigStore()."""
    return Store(run)


FACTORIES: dict[str, Factory] = {
    "hydra.main": _main,
    "dora.hydra_main": _main,
    "dora.hydra.hydra_main": _main,
    "hydra.core.config_store.ConfigStore.instance": instance,
    "hydra.core.config_store.ConfigStore": instance,
    "omegaconf.OmegaConf.from_cli": _from_cli,
    "omegaconf.OmegaConf.load": _load,
}
