"""hydra and OmegaConf: the keys of the YAML configuration are what may be overridden."""

import posixpath
import re
from typing import Any

import msgspec

from ml_agent.tools.signatures.hydra_defaults import (
    MISSING,
    SUFFIXES,
    Composition,
    DefaultsEntry,
    LoadedConfiguration,
)
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Signature, Unseen
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Method, Native, Value
from ml_agent.tools.signatures.yaml_keys import MAX_KEYS, flat_options, load_yaml

GROUP = "group"
"""The converter of an option that chooses a file."""
MOST_READ = 2_000_000
"""Characters that the configurations of a program may have together."""
LEAST_COUNTED = 4_000
"""For a file, however short."""
_ASSIGNED = re.compile(r"^[ \t]*+[A-Za-z_]\w*+((?:\.\w++)++)[ \t]*+=(?!=)", re.MULTILINE)
"""A setting that the program gives a value itself: cfg.model.inputs = 3."""


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
        """Options are the keys of the program's own configuration and the groups of its defaults list."""
        folder, name = self.settings.get(0, "config_path"), self.settings.get(1, "config_name")
        whole = self.settings.get(None, "strict") is not False
        if isinstance(folder, str) and folder.endswith(SUFFIXES):  # as hydra took it before 1.0; its rules were others
            whole = False
            folder, name = posixpath.dirname(folder) or ".", posixpath.basename(folder)
        if folder is None and self.settings.get(2, "version_base", UNKNOWN) is UNKNOWN:
            folder = "."
        files = Files(self.run, folder, self.settings.path)
        options: dict[str, Option] = {}
        if isinstance(name, str):
            made = Composition(files.load)
            made.run(name)
            options = self._options(made, files)
            whole = whole and made.whole and files.whole
        else:
            whole = False
        return [
            Signature(
                path=self.run.script, framework="hydra", options=tuple(options.values()), syntax="overrides",
                accepts_unknown=not whole, allow_abbrev=False, unseen=() if whole else (_configuration(self.settings, name),),
            )
        ]  # fmt: skip

    def _options(self, made: Composition, files: "Files") -> dict[str, Option]:
        """The keys of a composition, by name."""
        keys: dict[str, Option] = {}
        filled = {name[1:] for name in _ASSIGNED.findall(self.run.sources.text(self.run.script) or "")}
        for loaded, package in made.parts:
            data = dict(loaded.data)
            own = data.pop("hydra", None)
            if isinstance(own, dict) and (own.get("searchpath") or own.get("mode") == "MULTIRUN"):
                made.whole = False
            for option in flat_options(data, loaded.path, loaded.text, f"{package}." if package else ""):
                if len(keys) >= MAX_KEYS:
                    made.whole = False
                    break
                if option.required and option.dest in keys:
                    continue
                if option.dest in filled:
                    option = msgspec.structs.replace(option, required=False)
                for other in [k for k in keys if k.startswith(option.dest + ".")]:
                    del keys[other]
                above = option.dest.split(".")
                for end in range(1, len(above)):
                    keys.pop(".".join(above[:end]), None)
                keys[option.dest] = option
        found = {key: self._group(key, files.choices(e.folder), e) for key, e in made.groups.items()}
        return found | {dest: option for dest, option in keys.items() if dest not in found}

    def _group(self, key: str, choices: tuple[str, ...], entry: DefaultsEntry) -> Option:
        """A group as an option whose values are its files."""
        name = entry.name
        default = name if isinstance(name, str) and name != MISSING else None
        if isinstance(name, list):  # several files at once
            default = f"[{','.join(map(str, name))}]"
        return Option(
            dest=key, choices=choices, default=default, required=name == MISSING, converter=GROUP, path=self.settings.path,
            line=self.settings.line, sure=bool(choices) and not entry.optional,
        )  # fmt: skip


class Files:
    """The YAML files of a folder."""

    def __init__(self, run: Interpreter, folder: Value, script: str) -> None:
        self.run = run
        known = isinstance(folder, str) and "://" not in folder
        self.base = posixpath.normpath(posixpath.join(posixpath.dirname(script), folder)) if known else None
        self.whole = known and not any(isinstance(made, Store) for made in run.made)
        """Whether it is known which configurations there are, and what stands in those that were read."""
        self._left = MOST_READ

    def load(self, path: str) -> LoadedConfiguration | None:
        """A file; nothing more once much was read: a defaults list may name its own file many times."""
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
        return None

    def choices(self, group: str) -> tuple[str, ...]:
        """The files of one group by name."""
        sources, folder = self.run.sources, posixpath.normpath(f"{self.base}/{group}")
        if self.base is None:
            return ()
        names = [posixpath.basename(f) for f in sources.files if posixpath.dirname(f) == folder]
        return tuple(sorted({name.rpartition(".")[0] for name in names if name.endswith(SUFFIXES)}))


def _configuration(called: Arguments, name: Value) -> Unseen:
    """Keys of a configuration file that could not be read whole."""
    named = name if isinstance(name, str) else "a file chosen when it runs"
    return Unseen(origin="configuration", name=named, path=called.path, line=called.line)


def _main(run: Interpreter, name: str, arguments: Arguments) -> Value:
    if arguments.placed and not isinstance(arguments.placed[0], str):
        return Hydra(run, Arguments([], {}), arguments.placed[0])
    return Method(lambda given: Hydra(run, arguments, given.get(0, "f")))


class Store(Native):
    """ConfigStore.instance(): what a program stores in it is not looked at."""


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


def _store(run: Interpreter, name: str, arguments: Arguments) -> Value:
    run.made.append(Store())
    return run.made[-1]


FACTORIES: dict[str, Factory] = {
    "hydra.main": _main,
    "dora.hydra_main": _main,
    "dora.hydra.hydra_main": _main,
    "hydra.core.config_store.ConfigStore.instance": _store,
    "hydra.core.config_store.ConfigStore": _store,
    "omegaconf.OmegaConf.from_cli": _from_cli,
    "omegaconf.OmegaConf.load": _load,
}
