"""Usage examples: which file of the repository a documented command starts, and from which folder; and what in it is a placeholder."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

import msgspec

from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.files import folders_of


class Example(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One command or one Python block that the repository shows, with the words that introduce it."""

    text: str
    """The command on one line (continuations joined), or the whole Python block."""
    kind: Literal["bash", "python"]
    path: str
    """The document or script where it stands, relative to the repository."""
    line: int
    workdir: str
    """Folder, relative to the repository, from which it runs: its script was found from there."""
    entry: str = ""
    """Path of the entry point that it calls, relative to the repository; "" where unknown or for Python."""
    headings: tuple[str, ...] = ()
    introduction: str = ""
    """The paragraph or comment right before it."""
    imports_own: bool = False
    """Python: whether it imports the repository's own code."""
    setup: tuple[str, ...] = ()
    """Variable assignments (export X=...) in force where it stands."""


_SCRIPTS = (".py", ".sh", ".bash")
_HEAD = re.compile(r".*(?:\s-m\s+[\w.]+|\.(?:py|sh|bash)['\"]?)(?=\s|$)", re.DOTALL)
_PARENT_WORD = ".."
_CLONE = re.compile(r"git clone\s[^\n`]*?([\w.-]+?)(?:\.git)?/?(?=[\s`'\"#&;)]|$)", re.MULTILINE)


class LocatedEntry(NamedTuple):
    """An entry point, and the folder from which the command finds it."""

    path: str
    workdir: str


class EntryFinder:
    """Finds the entry points of commands.

    Args:
        files: Relative posix paths of all files of the repository.
        name: Name of the repository's own folder, as documents `cd` into it.
        consoles: Console scripts: the file of their function, by name.
        packages: Packages that installing the repository puts on the path: the folder that holds each, by name.
    """

    def __init__(
        self,
        files: Iterable[str],
        name: str,
        consoles: Mapping[str, str],
        packages: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._files = frozenset(files)
        self._consoles = consoles
        self._packages = packages
        self.own_names = {name.lower()}
        """What documents call the folder of the repository."""

    @cached_property
    def _folders(self) -> frozenset[str]:
        return folders_of(self._files)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self._files:
            if path.endswith(_SCRIPTS):
                found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    def learn_names(self, text: str) -> None:
        """Take note of what a document calls the folder that it clones."""
        self.own_names.update(name.lower() for name in _CLONE.findall(text))

    def workdirs(self, document: str, folders: Sequence[str], earlier: Sequence[str] = ()) -> list[str]:
        """Folders from which a command of a document may run, likeliest first.

        Args:
            document: Path of the document or script.
            folders: The `cd`s before the command.
            earlier: Those of an earlier section, which may still hold.
        """
        nearby = list(upwards(posixpath.dirname(document) or "."))
        entered, passed = self._follow_folders(nearby, folders), self._follow_folders(nearby, earlier)
        return list(dict.fromkeys([*entered, *nearby, *passed]))

    def starts_console(self, text: str) -> bool:
        """Whether a line of a text begins with the name of a console script of the repository."""
        return any(line.split(maxsplit=1)[0] in self._consoles for line in text.split("\n") if line.strip())

    def find(self, command: str, workdirs: Sequence[str]) -> LocatedEntry | None:
        """The entry point of a command; None where it starts nothing of the repository."""
        for call in parse_command(_head(command)).invocations:
            found = None
            if call.target in ("script", "shell"):
                found = self._script(call.name, workdirs)
            elif call.target == "module":
                found = self._module(call.name, workdirs)
            elif call.name in self._consoles:
                found = LocatedEntry(self._consoles[call.name], workdirs[0])
            if found is not None:
                return found
        return None

    def _follow_folders(self, bases: Sequence[str], folders: Sequence[str]) -> list[str]:
        """Where the `cd`s lead to: the last folder, and those passed on the way."""
        passed: list[str] = []
        for folder in folders:
            here = [*passed[:1], *bases]
            place = next((at for base in here if (at := _join(base, folder)) in self._folders), None)
            if place is None:
                place = self._own(folder)
            if place is not None:
                passed.insert(0, place)
        return passed

    def _own(self, folder: str) -> str | None:
        """What `cd repository/src` means: the repository was cloned under a name that is no part of its paths."""
        parts = [part for part in folder.split("/") if part not in ("", ".", "~")]
        for position, part in enumerate(parts):
            rest = "/".join(parts[position + 1 :]) or "."
            if part.lower() in self.own_names and rest in self._folders:
                return rest
        return None

    def _script(self, word: str, workdirs: Sequence[str]) -> LocatedEntry | None:
        for workdir in workdirs:
            path = _join(workdir, word)
            if path in self._files:
                return LocatedEntry(path, workdir)
        plain = posixpath.normpath(word)
        if plain.startswith((_PARENT_WORD, "/")):
            plain = plain.rpartition("/")[2]
        return self._below(plain, workdirs)

    def _below(self, plain: str, workdirs: Sequence[str]) -> LocatedEntry | None:
        """The only script of that name below the nearest folder that has any: documents leave out the way to it."""
        named = [path for path in self._by_name.get(plain.rpartition("/")[2], ()) if f"/{path}".endswith("/" + plain)]
        for workdir in workdirs:
            below = [path for path in named if workdir == "." or path.startswith(workdir + "/")]
            if len(below) == 1:
                return LocatedEntry(below[0], below[0].removesuffix(plain).rstrip("/") or ".")
            if below:
                break
        return None

    def _module(self, dotted: str, workdirs: Sequence[str]) -> LocatedEntry | None:
        inside = dotted.replace(".", "/")
        places = [(workdir, workdir) for workdir in workdirs]
        installed = self._packages.get(inside.partition("/")[0])
        if installed is not None:
            places.append((installed, workdirs[0]))
        for folder, workdir in (*places, ("src", "src")):
            for ending in (".py", "/__main__.py"):
                path = _join(folder, inside + ending)
                if path in self._files:
                    return LocatedEntry(path, workdir)
        return None


def _head(command: str) -> str:
    """A command up to the last word that may name what it starts: the many options behind it take long to parse."""
    head = _HEAD.match(command)
    return head[0] if head else " ".join(command.split()[:8])


def upwards(folder: str) -> Iterator[str]:
    """A folder and those above it, up to the root."""
    while folder not in (".", ""):
        yield folder
        folder = posixpath.dirname(folder) or "."
    yield "."


def _join(folder: str, path: str) -> str:
    """A path seen from a folder; one that leaves the repository stays absolute or begins with `..` and so matches nothing."""
    return posixpath.normpath(posixpath.join(folder, path))


# Placeholders of documented commands: `--data <path to images>` is an option with one word, not two redirections.

_PLACEHOLDER = re.compile(r"(?<![\w<>'\"`$&])<[A-Za-z][^<>\n'\"`|;&]{0,60}(?<=\w)>(?=[\s\]),;:./]|$)")

_IN_BRACKETS = re.compile(r"(?<![^\s=])\[[A-Za-z][\w/.]*(?:,? [\w/.]+){0,9} [\w/.]+\](?=\s|$)")
"""One of several words: "[PATH TO THE MODEL]", "[dataset name]"."""
_ANY = re.compile(
    r"<[A-Za-z][^<>]{0,60}>|\[[A-Z]{2,}\]|\[[A-Za-z][\w/.]*(?:,? [\w/.]+){0,9} [\w/.]+\]"
    r"|(?<![^'])(?:\[(?:[a-z]{1,30}[_ -]){0,4}(?:name|path|type|your|folder|file)(?:[_ -][a-z]{1,30}){0,4}\]|\{[A-Za-z])"
    r"|(?<![^\s'/=,])(?:[A-Z]{1,30}_){0,4}(?:YOUR|PATH|DIR|FILE|FOLDER|DIRECTORY|NAME|FILENAME|ID)(?:_[A-Z]{1,30}){0,4}(?![^\s'/,.])"
)
"""In angles or brackets, or in capitals: "YOUR_TEXT", "DATA_DIR/images", "PATH_TO_MODEL"; `$DATA_DIR` is a variable."""


def quoted_placeholders(text: str) -> str:
    """A documented command whose placeholders are quoted, so that a shell would take each for one word.

    Args:
        text: one that stands in a document; in a command that is to be run `<name>` is what a shell makes of it.
    """
    return _IN_BRACKETS.sub(_in_quotes, _PLACEHOLDER.sub(_in_quotes, text))


def _in_quotes(match: re.Match[str]) -> str:
    return f"'{match[0]}'"


def holds_placeholder(value: object) -> bool:
    """Whether a value, or one of several, has a placeholder in it."""
    return _ANY.search(str(value)) is not None


def is_metavar(value: object, name: str) -> bool:
    """Whether a value is what a usage line has for an option: its name in capitals or brackets, `--batch-size BATCH_SIZE`, `[id]`.

    Args:
        value: that a document gives it.
        name: of the option, as a program knows it.
    """
    shown = value[0] if isinstance(value, list) and len(value) == 1 else value
    text = str(shown)
    bare = text.strip("[]{}")
    return (text.isupper() or bare != text) and bare.replace("-", "_").lower() == name.replace("-", "_").lower()
