"""Which modules a script needs from outside its repository. Reads only; nothing is imported."""

import ast
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.distributions import is_known
from ml_agent.tools.python_api.modules import ModuleTable, join
from ml_agent.tools.python_source import syntax_tree
from ml_agent.tools.usage.entry import upwards

MAX_FILES = 400
_NO_MODULE = re.compile(r"\b(?:ImportError|ModuleNotFoundError|Exception|BaseException)\b")


class ImportNeeds(msgspec.Struct, frozen=True, kw_only=True):
    """What a script imports."""

    dotted: tuple[str, ...]
    """Modules from outside that must be there to start, in the order they are met, with their full names (google.protobuf)."""
    later: tuple[str, ...] = ()
    """Imported in functions of the script itself, so needed when these are called."""
    paths: tuple[str, ...] = ()
    """Folders of the repository that must be on the import path and are not by themselves; relative to the root."""
    taken: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What the scripts themselves import at their start, also of the repository, each with the names that are taken from it."""


class _Import(msgspec.Struct, frozen=True):
    name: str
    level: int
    lazy: bool
    optional: bool


def scan_imports(
    root: Path, entries: Iterable[Path], folder: Path | None = None, codes: Iterable[str] = ()
) -> ImportNeeds:
    """Follow the imports of `entries` (files below `root`) and of `codes`, which run in `folder`."""
    root = root.resolve()
    scan = _Scan(root, (folder or root).resolve().relative_to(root).as_posix())
    for entry in entries:
        scan.script(entry.resolve().relative_to(root).as_posix())
    for code in filter(None, codes):
        scan.code(code)
    return scan.needs()


class _Scan:
    """Paths are relative to the root."""

    def __init__(self, root: Path, folder: str) -> None:
        self._root, self._folder = root, folder
        self._modules = ModuleTable(RepoIndex(root, "").files)
        self._seen: set[str] = set()
        self._later: dict[str, None] = {}
        self._dotted: dict[str, None] = {}
        self._paths: dict[str, None] = {}
        self._taken: dict[str, dict[str, None]] = {}

    def script(self, path: str) -> None:
        """A file that is run: its own folder comes first on the import path."""
        place, name = posixpath.split(path)
        self._path = [place or ".", self._folder] if name == "__main__.py" else [place or "."]
        self._follow(path, is_entry=True)

    def code(self, text: str) -> None:
        """Code that is run from the working folder."""
        self._path = [self._folder]
        self._take(text, join(self._folder, "code.py"), is_entry=True)

    def needs(self) -> ImportNeeds:
        """What was found."""
        return ImportNeeds(
            later=tuple(name for name in self._later if name not in {one.partition(".")[0] for one in self._dotted}),
            paths=tuple(self._paths),
            dotted=tuple(self._dotted),
            taken=tuple((name, tuple(names)) for name, names in self._taken.items()),
        )

    def _follow(self, path: str, is_entry: bool = False) -> None:
        if path not in self._seen and len(self._seen) < MAX_FILES:
            self._seen.add(path)
            self._take(read_text(self._root / path), path, is_entry)

    def _take(self, text: str, path: str, is_entry: bool) -> None:
        try:
            imports = list(_imports(syntax_tree(text)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # no Python, or nested too deeply
            return
        for found in imports:
            if is_entry and not (found.level or found.optional or found.lazy or found.name.startswith("__future__")):
                self._note_taken(found.name)
            if found.level:
                above = "/".join([".", *path.split("/")][: -found.level])
                self._follow_parts(posixpath.normpath(above), found.name)
            elif not found.optional and (is_entry or not found.lazy):
                self._absolute(found, path)

    def _note_taken(self, name: str) -> None:
        """`from a import b` is met as a, then as a.b; where a is c.d and c was met before, a is among what is taken from c."""
        base, _, last = name.rpartition(".")
        above, _, below = base.rpartition(".")
        if base in self._taken or below in self._taken.get(above, {}):
            self._taken.setdefault(base, {})[last] = None
        else:
            self._taken.setdefault(name, {})

    def _absolute(self, found: _Import, path: str) -> None:
        top = found.name.partition(".")[0]
        if top in sys.stdlib_module_names or top == "__future__":
            return
        place = next((one for one in (*self._path, *self._paths) if self._modules.find(one, top)), None)
        if place is None and (place := self._elsewhere(top, path)) is not None:
            self._paths[place] = None
        if place is not None:
            self._follow_parts(place, found.name)
        elif found.lazy:
            self._later[top] = None
        else:
            self._dotted[found.name] = None

    def _follow_parts(self, folder: str, name: str) -> None:
        """Each package on the way to a module below a folder, and the module."""
        for part in filter(None, name.split(".")):
            found = self._modules.find(folder, part) or ""
            if found.endswith(".py"):
                self._follow(found)
            folder = join(folder, part)

    def _elsewhere(self, top: str, path: str) -> str | None:
        """The folder of the repository, not yet on the path, that holds a module of this name and can be meant by it."""
        known = is_known(top)  # a file storages/numpy.py is not what `import numpy` beside it means
        for place in [*upwards(posixpath.dirname(path)), "src", "lib", "python"]:
            found = self._modules.find(place, top) or ""
            if found.endswith("/__init__.py") or (found.endswith(".py") and not known and found != path):
                return place
        return None if known else self._modules.lone_root(top)


def _imports(node: ast.AST, lazy: bool = False, optional: bool = False) -> Iterator[_Import]:
    """What a tree imports. `from a import b` may name the module a.b, so both are told."""
    if isinstance(node, ast.Import):
        yield from (_Import(alias.name, 0, lazy, optional) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        names = [f"{base}.{alias.name}".strip(".") for alias in node.names if alias.name != "*"]
        for name in dict.fromkeys(filter(None, [base, *names])):
            yield _Import(name, node.level, lazy, optional)
    elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case | ast.mod):
        typing = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        if typing or (isinstance(node, ast.With) and _NO_MODULE.search(ast.unparse(node.items[0]))):
            return  # with suppress(ImportError) it does without
        lazy = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        handlers = node.handlers if isinstance(node, ast.Try) else []
        caught = [ast.unparse(one.type) if one.type else "Exception" for one in handlers]
        optional = optional or any(map(_NO_MODULE.search, caught))
        for child in ast.iter_child_nodes(node):
            yield from _imports(child, lazy, optional)
