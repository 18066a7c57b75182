"""hydra's defaults lists: which files make up a configuration, and where in it their keys stand."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

MAX_DEPTH = 12
MISSING = "???"
SUFFIXES = (".yaml", ".yml")
HEADER = re.compile(r"\A(?:[ \t]*(?:#[^\n]*)?\n)*?[ \t]*#[ \t]*@package[ \t]+(\S+)")


class DefaultsEntry(NamedTuple):
    """One entry of a defaults list, at its place."""

    parent_folder: str
    parent_package: str
    group: str
    """Of a file that is named without a group: its folder."""
    name: Any
    """The choice: a text, a list of them, None for no choice."""
    package: str | None = None
    """As written behind @."""
    is_group: bool = True
    optional: bool = False
    override: bool = False

    @property
    def folder(self) -> str:
        """The group's path from the configuration's folder."""
        if self.group.startswith("/") or not self.parent_folder:
            return self.group.lstrip("/")
        return f"{self.parent_folder}/{self.group}".rstrip("/")

    @property
    def path(self) -> str:
        """The file's path without its suffix."""
        return f"{self.folder}/{self.name}".lstrip("/")

    def where(self, header: str | None = None) -> str:
        """The package in which its keys stand, "" for the top; that of the file's header where the list names none."""
        own = self.package
        if own is None:
            own = header if header is not None else self.group.lstrip("/").replace("/", ".")
        elif "_group_" in own:
            own = "_global_." + own.replace("_group_", self.folder.replace("/", "."))
        whole = ".".join(part for part in (self.parent_package, "" if own == "_here_" else own) if part)
        _, found, tail = whole.rpartition("_global_")
        return tail.lstrip(".") if found else whole

    @property
    def key(self) -> str:
        """How the command line names its choice: the group, with the package where that is another."""
        where = self.where()
        return self.folder if where == self.folder.replace("/", ".") else f"{self.folder}@{where or '_global_'}"


class LoadedConfiguration(NamedTuple):
    """One configuration: a file, or what the program stored by name."""

    data: dict[str, Any]
    path: str
    text: str


class PlacedConfiguration(NamedTuple):
    """A configuration and the package in which its keys stand."""

    loaded: LoadedConfiguration
    package: str


class Composition:
    """Follows defaults lists from one configuration on.

    Args:
        load: gives a configuration by its path without suffix; None where there is none.
    """

    def __init__(self, load: Callable[[str], LoadedConfiguration | None]) -> None:
        self._load = load
        self.whole = True
        """Whether everything was found."""
        self.groups: dict[str, DefaultsEntry] = {}
        """Key -> the entry in effect."""
        self.parts: list[PlacedConfiguration] = []
        """In the order in which they are merged."""
        self._overridden: dict[str, Any] = {}

    def run(self, name: str) -> None:
        """Follow the defaults list of one configuration."""
        stem = next((name.removesuffix(end) for end in SUFFIXES if name.endswith(end)), name)
        group, _, last = stem.rpartition("/")
        outside = ".." in group.split("/")  # a folder beside, whose name is no package
        root = DefaultsEntry("", "", group, last, "_global_" if outside else None, is_group=False)
        self.parts = self._below(root, 0)

    def _below(self, entry: DefaultsEntry, depth: int) -> list[PlacedConfiguration]:
        """One configuration with all that its defaults list names."""
        loaded = self._load(entry.path) if depth <= MAX_DEPTH else None
        if loaded is None:
            self.whole = self.whole and entry.optional
            return []
        package = entry.where(_header(loaded.text, entry))
        listed = loaded.data.pop("defaults", None) or []
        entries = [self._entry(item, entry.folder, package) for item in listed if item != "_self_"]
        place = listed.index("_self_") if "_self_" in listed else len(listed)
        for entry in (one for one in entries if one is not None and one.override):
            self._overridden.setdefault(entry.key, entry.name)
        found = [self._follow(e, depth) if e is not None else [] for e in reversed(entries)][::-1]
        found.insert(place, [PlacedConfiguration(loaded, package)])
        return [part for parts in found for part in parts]

    def _entry(self, item: Any, folder: str, package: str) -> DefaultsEntry | None:
        """One item of a defaults list; None where it is of no form that is known."""
        optional = override = False
        if isinstance(item, dict) and len(item) == 2 and "optional" in item:
            optional = bool(item["optional"])
            item = {key: value for key, value in item.items() if key != "optional"}
        if isinstance(item, str):
            path, at, own = item.removesuffix(".yaml").partition("@")
            group, slash, name = path.rpartition("/")
            return DefaultsEntry(folder, package, group or slash, name, own if at else None, is_group=False)
        if not isinstance(item, dict) or len(item) != 1:
            self.whole = False
            return None
        key, name = next(iter(item.items()))
        words = str(key).split()
        optional, override = optional or "optional" in words[:-1], "override" in words[:-1]
        group, at, own = (words[-1] if words else "").partition("@")
        return DefaultsEntry(folder, package, group, name, own if at else None, optional=optional, override=override)

    def _follow(self, entry: DefaultsEntry, depth: int) -> list[PlacedConfiguration]:
        """What one entry brings."""
        if entry.override or entry.folder.split("/")[0] == "hydra":
            return []
        if not entry.is_group:
            return self._below(entry, depth + 1)
        key = entry.key
        entry = entry._replace(name=self._overridden.get(key, entry.name))
        self.groups[key] = entry
        names = entry.name if isinstance(entry.name, list) else [entry.name]
        found: list[PlacedConfiguration] = []
        for name in names:
            if name is None:
                continue
            if not isinstance(name, str) or name == MISSING or "$" in name:
                self.whole = self.whole and name == MISSING and not entry.optional
                continue
            found += self._below(entry._replace(name=name.removesuffix(".yaml")), depth + 1)
        return found


def _header(text: str, entry: DefaultsEntry) -> str | None:
    """The package that a file's first comment names; absolute, as hydra takes it."""
    match = HEADER.match(text)
    if match is None or match[1] == "_group_":
        return None
    named = match[1].replace("_group_", entry.folder.replace("/", ".")).replace("_name_", str(entry.name))
    return named if named.startswith("_global_") else f"_global_.{named}"
