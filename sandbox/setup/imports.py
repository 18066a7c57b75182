"""Which modules a script needs from outside its repository. Reads only; nothing is imported."""

import ast
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

import msgspec

from ml_agent.tools.foreign_files import exists, is_dir, is_file, read_text
from ml_agent.tools.python_api.distributions import is_known
from ml_agent.tools.python_source import syntax_tree

MAX_FILES = 400
MAX_BYTES = 2 * 1024 * 1024
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv", "build", "dist"})
_NO_MODULE = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


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
    scan = _Scan(root, folder or root)
    for entry in entries:
        scan.script(entry)
    for code in filter(None, codes):
        scan.code(code)
    return scan.needs()


class _Scan:
    def __init__(self, root: Path, folder: Path) -> None:
        self._root, self._folder = root.resolve(), folder.resolve()
        self._seen: set[Path] = set()
        self._later: dict[str, None] = {}
        self._dotted: dict[str, None] = {}
        self._paths: dict[str, None] = {}
        self._taken: dict[str, dict[str, None]] = {}

    def script(self, path: Path) -> None:
        """A file that is run: its own folder comes first on the import path."""
        path = path.resolve()
        self._path = [path.parent, self._folder] if path.name == "__main__.py" else [path.parent]
        self._follow(path, is_entry=True)

    def code(self, text: str) -> None:
        """Code that is run from the working folder."""
        self._path = [self._folder]
        self._take(text, self._folder / "code.py", is_entry=True)

    def needs(self) -> ImportNeeds:
        """What was found."""
        return ImportNeeds(
            later=tuple(name for name in self._later if name not in {one.partition(".")[0] for one in self._dotted}),
            paths=tuple(self._paths),
            dotted=tuple(self._dotted),
            taken=tuple((name, tuple(names)) for name, names in self._taken.items()),
        )

    def _follow(self, path: Path, is_entry: bool = False) -> None:
        if path in self._seen or len(self._seen) >= MAX_FILES or not is_file(path) or path.suffix not in (".py", ""):
            return
        self._seen.add(path)
        if path.stat().st_size <= MAX_BYTES:
            self._take(read_text(path), path, is_entry)

    def _take(self, text: str, path: Path, is_entry: bool) -> None:
        for found in _imports(text):
            if is_entry and not (found.level or found.optional or found.lazy or found.name.startswith("__future__")):
                self._note_taken(found.name)
            if found.level:
                self._follow_relative(path, found)
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

    def _absolute(self, found: _Import, path: Path) -> None:
        top = found.name.partition(".")[0]
        if top in sys.stdlib_module_names or top == "__future__":
            return
        for place in [*self._path, *(self._root / known for known in self._paths)]:
            if self._follow_local(place, found.name):
                return
        elsewhere = self._elsewhere(top, path)
        if elsewhere is not None:
            self._paths[elsewhere.relative_to(self._root).as_posix()] = None
            self._follow_local(elsewhere, found.name)
            return
        if found.lazy:
            self._later[top] = None
        else:
            self._dotted[found.name] = None

    def _follow_local(self, place: Path, name: str) -> bool:
        """Follow a module found below `place`; whether its top level is there."""
        parts = name.split(".")
        if not _is_module(place / parts[0]):
            return False
        self._follow_parts(place, parts)
        return True

    def _follow_relative(self, path: Path, found: _Import) -> None:
        base = path.parent
        for _ in range(found.level - 1):
            base = base.parent
        self._follow_parts(base, found.name.split(".") if found.name else [])

    def _follow_parts(self, here: Path, parts: Iterable[str]) -> None:
        """Each package on the way to a module below a folder, and the module."""
        for part in parts:
            here = here / part
            self._follow(here.with_suffix(".py") if is_file(here.with_suffix(".py")) else here / "__init__.py")

    def _elsewhere(self, top: str, path: Path) -> Path | None:
        """The folder of the repository, not yet on the path, that holds a module of this name and can be meant by it."""
        known = is_known(top)  # a file storages/numpy.py is not what `import numpy` beside it means
        ancestors = [parent for parent in path.parents if parent.is_relative_to(self._root)]
        for place in [*ancestors, self._root / "src", self._root / "lib", self._root / "python"]:
            if is_dir(place / top) and is_file(place / top / "__init__.py"):
                return place
            if is_file(place / f"{top}.py") and not known:
                return place
        if known:
            return None
        packages = [place for place in self._packages if place.name == top]
        return packages[0].parent if len(packages) == 1 else None

    @cached_property
    def _packages(self) -> list[Path]:
        """All outermost packages of the repository."""
        found = []
        for init in sorted(self._root.rglob("__init__.py")):
            package = init.parent
            parts = package.relative_to(self._root).parts
            if not _SKIPPED & set(parts) and len(parts) <= 4 and not exists(package.parent / "__init__.py"):
                found.append(package)
        return found


def _is_module(path: Path) -> bool:
    """A module, a package, or a folder with Python files in it, which is a namespace package."""
    if is_file(path.with_suffix(".py")) or is_file(path / "__init__.py"):
        return True
    return is_dir(path) and next(path.glob("**/*.py"), None) is not None


def _imports(text: str) -> list[_Import]:
    """What a text imports; nothing where it is no Python, or is nested too deeply."""
    try:
        return list(_walk(syntax_tree(text).body, lazy=False, optional=False))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _walk(body: Iterable[ast.stmt], lazy: bool, optional: bool) -> Iterator[_Import]:
    for node in body:
        if isinstance(node, ast.Import):
            yield from (_Import(alias.name, 0, lazy, optional) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _from(node, lazy, optional)
        elif isinstance(node, ast.Try):
            copes = any(_catches_import(handler) for handler in node.handlers)
            yield from _walk(node.body, lazy, optional or copes)
            for handler in node.handlers:
                yield from _walk(handler.body, lazy, optional or copes)
            yield from _walk([*node.orelse, *node.finalbody], lazy, optional)
        elif isinstance(node, ast.If):
            if not _is_type_checking(node.test):
                yield from _walk(node.body, lazy, optional)
            yield from _walk(node.orelse, lazy, optional)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _walk(node.body, True, optional)
        elif isinstance(node, ast.ClassDef | ast.With | ast.For | ast.While):
            yield from _walk(node.body, lazy, optional)


def _from(node: ast.ImportFrom, lazy: bool, optional: bool) -> Iterator[_Import]:
    """`from a import b` may name the module a.b, so both are followed."""
    base = node.module or ""
    if base:
        yield _Import(base, node.level, lazy, optional)
    if node.level or base:
        for alias in node.names:
            name = f"{base}.{alias.name}".strip(".") if alias.name != "*" else base
            if name != base:
                yield _Import(name, node.level, lazy, optional)


def _catches_import(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    if caught is None:
        return True
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(name, ast.Name) and name.id in _NO_MODULE for name in names)


def _is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
