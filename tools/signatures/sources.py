"""The source files of a repository: text, syntax trees and where an import leads, each worked out at most once."""

import ast
import posixpath
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, TypeVar

from ml_agent.tools.files import Tree, folders_of
from ml_agent.tools.outline import Outline, imports_in
from ml_agent.tools.python_source import syntax_tree
from ml_agent.tools.signatures.setup_files import import_folders, package_folders

T = TypeVar("T")

MAX_BYTES = 1_500_000
"""Of a source that is read."""
MAX_REPAIRS = 25
MAX_LINE = 200
PYTHON_LINE = re.compile(rb"#![^\n]*\bpython")
_DEFINES = r"(?:DEFINE_|parse_args\(|parse_known_args\()"
WRITES_FLAGS = re.compile(
    rf"^\S[^\n]*{_DEFINES}|^{_DEFINES}"
    rf"|^(?:try|else|(?:if|with)\b(?! *\(?__name__)[^\n]*):[^\n]*\n(?:(?:[ \t]++[^\n]*+)?\n)*?[ \t]++[^\n]*{_DEFINES}",
    re.MULTILINE,
)
"""A line at a file's top level, or in a block there that is run on import, that defines a flag or parses."""
_DEFINITION = re.compile(r"(?:async +)?def |class ")
_STATEMENT = re.compile(r"[^\s#)\]}]")
"""A line at the top level that goes on with nothing above it."""
IMPORTS_OTHERS = re.compile(r"\b(?:import_module|iter_modules|walk_packages|__import__)\(")
"""A file that imports what lies in its folder."""
STAR = re.compile(r"^[ \t]*from[ \t]+[.\w]+[ \t]+import[ \t]+\*", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")
SOURCE_ROOTS = ("", "src")
SETUP_FILES = ("setup.py", "setup.cfg", "pyproject.toml")


class Sources:
    """Files of one repository below `root`, by path relative to it."""

    def __init__(
        self, root: Path, files: frozenset[str] | None = None, outlines: Mapping[str, Outline] = MappingProxyType({})
    ) -> None:
        self.root = root
        self.files = frozenset(Tree(root).files()) if files is None else files
        self._outlines = outlines
        self._texts: dict[str, str | None] = {}
        self._trees: dict[str, ast.Module | None] = {}
        self._resolved: dict[tuple[str, int, str, str], str | None] = {}
        self._effects: dict[str, bool] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._packaged: set[str] = set()
        self._imports: dict[str, list[tuple[str, int]]] = {}
        self._edges: dict[tuple[str, str], tuple[str, ...]] = {}
        self._asked: dict[tuple[str, Callable[[str], object]], Any] = {}
        self._packages: dict[str, str] | None = None
        self._placed: dict[str, dict[str, str]] = {}
        self._calls: dict[str, dict[str, list[ast.Call]]] = {}
        self._folders: frozenset[str] | None = None
        self._names: frozenset[str] | None = None
        self.repaired: dict[str, SyntaxError | None] = {}
        """Files that do not parse as they are, and why; None where they are too large to tell."""

    def exists(self, path: str) -> bool:
        """Whether this is a regular file of the repository."""
        return path in self.files

    def is_folder(self, path: str) -> bool:
        """Whether this is a folder of the repository."""
        if self._folders is None:
            self._folders = folders_of(self.files)
        return (path or ".") in self._folders

    def text(self, path: str) -> str | None:
        """The text of a file; None where it is missing, too large or not readable."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _read(self, path: str) -> str | None:
        if not self.exists(path):
            return None
        try:
            with (self.root / path).open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except (OSError, ValueError):
            return None
        if len(data) > MAX_BYTES:
            return None
        text = data.decode("utf-8-sig", "replace").replace("\0", "")
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    def pinned(self, package: str) -> str:
        """The version to which `requirements.txt` of the root holds a package; "" where it leaves that open."""
        name = re.escape(package).replace("_", "[-_]")
        pin = rf"^{name}(?:\[[\w,-]*\])? ?== ?([\d.]+)[ \t]*(?:[;#]|$)"
        found = re.search(pin, self.text("requirements.txt") or "", re.MULTILINE | re.IGNORECASE)
        return found[1] if found else ""

    def is_bare_python(self, path: str) -> bool:
        """Whether a file without a suffix says in its first line that Python runs it."""
        if PurePosixPath(path).suffix or not self.exists(path):
            return False
        try:
            with (self.root / path).open("rb") as file:
                return PYTHON_LINE.match(file.readline(MAX_LINE)) is not None
        except (OSError, ValueError):
            return False

    def words(self, path: str) -> frozenset[str]:
        """The words of a file, and "*" where it imports all names of another."""
        if path not in self._words:
            text = self.text(path) or ""
            star = ["*"] if STAR.search(text) else []
            self._words[path] = frozenset([*WORD.findall(text), *star])
        return self._words[path]

    def tree(self, path: str) -> ast.Module | None:
        """The syntax tree of a Python file; lines that do not parse are left out, None where nothing helps."""
        if path not in self._trees:
            text = self.text(path)
            self._trees[path] = None if text is None else self._parse(path, text)
        return self._trees[path]

    def definition(self, path: str, line: int) -> ast.Module | None:
        """What stands at the top level from a line to the next statement there, read alone: a large file need not be parsed for one class.

        None where it is no whole statement by itself.
        """
        rows = (self.text(path) or "").split("\n")
        head = next((at for at in range(line - 1, len(rows)) if _DEFINITION.match(rows[at])), len(rows))
        end = next((at for at in range(head + 1, len(rows)) if _STATEMENT.match(rows[at])), len(rows))
        tree = _try_parse("\n" * (line - 1) + "\n".join(rows[line - 1 : end]))
        return tree if isinstance(tree, ast.Module) else None

    def _parse(self, path: str, text: str) -> ast.Module | None:
        tree = _try_parse(text)
        if isinstance(tree, ast.Module):
            return tree
        self.repaired[path] = tree
        lines = text.split("\n")
        for _ in range(MAX_REPAIRS):
            if isinstance(tree, ast.Module):
                return tree
            number = (tree.lineno or 0) if tree is not None else 0
            if not 1 <= number <= len(lines) or lines[number - 1].strip() == "pass":
                return None
            line = lines[number - 1]
            lines[number - 1] = line[: len(line) - len(line.lstrip())] + "pass"
            tree = _try_parse("\n".join(lines))
        return tree if isinstance(tree, ast.Module) else None

    def calls(self, path: str, name: str) -> Sequence[ast.Call]:
        """The calls in a file of what has this name, also as an attribute: `name(...)`, `module.name(...)`."""
        if path not in self._calls:
            found = self._calls[path] = {}
            tree = self.tree(path)
            for node in ast.walk(tree) if tree is not None else ():
                if isinstance(node, ast.Call):
                    found.setdefault(called_name(node), []).append(node)
        return self._calls[path].get(name, ())

    def resolve(self, module: str, level: int, importer: str, script: str) -> str | None:
        """The file that `from <level dots><module> import` in `importer` reads when `script` was started, or None."""
        key = (module, level, importer.rpartition("/")[0], "" if level else script.rpartition("/")[0])
        if key not in self._resolved:
            self._resolved[key] = self._find(module, level, importer, script)
        return self._resolved[key]

    def _find(self, module: str, level: int, importer: str, script: str) -> str | None:
        relative = module.replace(".", "/")
        if level:
            base = importer
            for _ in range(level):
                base = base.rpartition("/")[0]
            return self._module_file("/".join(p for p in (base, relative) if p))
        if not relative:
            return None
        top = relative.partition("/")[0]
        for folder in self._search(importer, script, top):
            found = self._module_file(f"{folder}/{relative}" if folder else relative)
            if found is not None:
                return found
        return self._installed_module(top, relative)

    def _search(self, importer: str, script: str, top: str) -> Iterator[str]:
        for path in (script, importer):
            yield path.rpartition("/")[0]
            if top in sys.stdlib_module_names:  # only the script's own folder comes before the standard library
                return
        yield from SOURCE_ROOTS
        yield from self._package_roots()

    def _installed_module(self, top: str, relative: str) -> str | None:
        """A module of a package that the repository installs from another folder."""
        folder = self.packages().get(top)
        if folder is None:
            return None
        found = self._module_file(relative if folder == "." else f"{folder}/{relative}")
        if found is not None:
            self._packaged.add(found)
        return found

    def _module_file(self, path: str) -> str | None:
        for name in (f"{path}.py", f"{path}/__init__.py" if path else "__init__.py"):
            if self.exists(name):
                return name
        return None

    def packages(self) -> dict[str, str]:
        """Top-level package name -> folder that holds it, for packages that a setup file of the repository installs."""
        if self._packages is None:
            self._packages = {}
            for folder in sorted(self.setup_folders(), key=lambda f: (f.count("/"), f)):
                for root in (folder, *(self._package_roots() if folder == "." else ())):
                    for name in self._packages_in(root):
                        self._packages.setdefault(name, root)
        return self._packages

    def package_folders(self, folder: str) -> dict[str, str]:
        """Where the setup files in a folder say that packages lie: folders by package, "" for all others."""
        if folder not in self._placed:
            paths = (posixpath.normpath(posixpath.join(folder, name)) for name in SETUP_FILES)
            self._placed[folder] = package_folders(*(self.text(path) or "" for path in paths))
        return self._placed[folder]

    def _package_roots(self) -> list[str]:
        """The folders below the root in which the repository's own packages lie."""
        placed = self.package_folders(".")
        roots = dict.fromkeys([*import_folders(placed), *(() if "" in placed else ("src",))])
        return [r for r in roots if r != "." and not r.startswith(("/", posixpath.pardir)) and self.is_folder(r)]

    def setup_folders(self) -> set[str]:
        """Folders, near the root, that hold a setup file."""
        return {
            str(PurePosixPath(f).parent)
            for f in self.files
            if f.rpartition("/")[2] in SETUP_FILES and f.count("/") <= 2
        }

    def _packages_in(self, folder: str) -> list[str]:
        prefix = "" if folder == "." else folder + "/"
        tails = (f[len(prefix) :] for f in self.files if f.startswith(prefix) and f.endswith("/__init__.py"))
        return sorted({t.partition("/")[0] for t in tails if t.count("/") == 1})

    def _imported_modules(self, path: str) -> list[tuple[str, int]]:
        """The modules (dotted name, level) that a file may import, found in its text alone."""
        if path not in self._imports:
            outline = self._outlines.get(path)
            found: dict[tuple[str, int], None] = {}
            for one in imports_in(self.text(path) or "") if outline is None else outline.imports:
                module = one.module.lstrip(".")
                level = len(one.module) - len(module)
                found[module, level] = None
                if one.name and one.name != "*":
                    found[f"{module}.{one.name}" if module else one.name, level] = None
            self._imports[path] = [(name, level) for name, level in found if self._may_be_ours(name)]
        return self._imports[path]

    def _may_be_ours(self, module: str) -> bool:
        """Whether a file or folder of the repository has the name of a module: of most that are imported, none has."""
        if self._names is None:
            self._names = frozenset(part.removesuffix(".py") for file in self.files for part in file.split("/"))
        return not module or module.rpartition(".")[2] in self._names

    def closure(self, path: str, script: str, limit: int = 400) -> list[str]:
        """A file and all files that it imports, directly or not, without packages installed from another folder."""
        seen = [path]
        known = {path}
        for current in seen:
            if len(seen) > limit:
                break
            new = [f for f in self.imports_of(current, script) if f not in known and f not in self._packaged]
            known.update(new)
            seen += new
        return seen

    def reach(self, *scripts: str) -> set[str]:
        """Scripts and all files that they import, directly or not, when the first of them was started."""
        found, todo = set(scripts), list(scripts)
        while todo:
            new = [path for path in self.imports_of(todo.pop(), scripts[0]) if path not in found]
            found.update(new)
            todo += new
        return found

    def callers(self, functions: Iterable[str], scripts: Iterable[str]) -> list[str]:
        """The files that some import, directly or not, whose top level calls or decorates with one of these functions."""
        named = rf"(?:\w+\.)*(?:{'|'.join(functions)})"
        calls = re.compile(rf"^(?:(?:@|\w.*[=\s(]|\) = )?{named}\(|@{named}$)", re.MULTILINE)
        return sorted(path for path in self._reach_by_name(scripts) if self.asked(path, calls.search))

    def _reach_by_name(self, scripts: Iterable[str]) -> set[str]:
        """As `reach`, with what files import from their folders by names that are computed."""
        reached = self.reach(*scripts)
        looked: set[str] = set()
        while new := [path for path in reached - looked if self.asked(path, IMPORTS_OTHERS.search)]:
            looked |= reached
            folders = tuple(path.rpartition("/")[0] + "/" for path in new if "/" in path)
            beside = {path for path in self.files if path.startswith(folders) and path.endswith(".py")}
            reached = self.reach(*scripts, *reached, *beside)
        return reached

    def imports_of(self, path: str, script: str) -> tuple[str, ...]:
        """The files that a file imports when `script` was started."""
        key = (path, script.rpartition("/")[0])
        if key not in self._edges:
            found = (self.resolve(module, level, path, script) for module, level in self._imported_modules(path))
            self._edges[key] = tuple(dict.fromkeys(p for p in found if p is not None))
        return self._edges[key]

    def asked(self, path: str, ask: Callable[[str], T]) -> T:
        """What a function says of the text of a file."""
        if (path, ask) not in self._asked:
            self._asked[path, ask] = ask(self.text(path) or "")
        found: T = self._asked[path, ask]
        return found

    def has_effects(self, path: str, script: str) -> bool:
        """Whether importing this file may define flags or parse the command line."""
        if path in self._packaged:
            return False
        if path not in self._effects:
            self._effects[path] = any(self.asked(p, WRITES_FLAGS.search) for p in self.closure(path, script))
        return self._effects[path]


def called_name(call: ast.Call) -> str:
    """The last part of the name of what is called; "" where it has none."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _try_parse(text: str) -> ast.Module | SyntaxError | None:
    """The tree, or the first syntax error, or None where the text is too large to tell."""
    try:
        return syntax_tree(text)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError, SystemError):
        return None
