"""Checks imports against the modules of a repository."""

import ast
import posixpath
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.libraries import known_libraries
from ml_agent.tools.outline import imported_tops, imports_in
from ml_agent.tools.python_api.bindings import ImportedName, imported_names
from ml_agent.tools.python_api.model import UNKNOWN, ApiObject
from ml_agent.tools.python_api.resolver import Resolved
from ml_agent.tools.signatures.nearest import nearest

_LOADED_AT_START = frozenset(
    [
        *sys.builtin_module_names,
        *["abc", "codecs", "encodings", "genericpath", "io", "ntpath", "os", "posixpath", "site", "stat"],
    ]
)


class ImportPath(NamedTuple):
    """Folders of the repository from which a piece of code imports."""

    folders: tuple[str, ...]
    certain: bool
    """False where the code adds folders in a way that cannot be followed."""


class ImportChecker:
    """Tells what the imports of a piece of code find in a repository.

    Args:
        tree: The code.
        index: The repository.
        workdir: Folder, relative to the root, where the code runs.
    """

    def __init__(self, tree: ast.Module, index: RepoIndex, workdir: str) -> None:
        self._index = index
        self._api = index.api
        self._path = import_path(tree, workdir)
        self._resolved: dict[str, Resolved] = {}
        self._severity: Severity = "error" if self._path.certain else "warning"
        self._stars = [item.module for item in imported_names(tree) if item.name == "*"]

    def is_own(self, dotted: str) -> bool:
        """Whether a dotted name begins with a module of the repository."""
        top = dotted.split(".")[0]
        owners = [folder for folder in self._path.folders if self._api.claims(top, folder)]
        return bool(owners) and not self._is_foreign(top)

    def resolve(self, dotted: str) -> Resolved:
        """What a dotted name means from the folders of the import path; UNKNOWN for what is not of the repository."""
        if dotted not in self._resolved:
            self._resolved[dotted] = self._resolve(dotted) if self.is_own(dotted) else UNKNOWN
        return self._resolved[dotted]

    def _resolve(self, dotted: str) -> Resolved:
        answer: Resolved = None
        for folder in self._path.folders:
            found = self._api.resolve(dotted, folder)
            if isinstance(found, ApiObject):
                return found
            if self._api.claims(dotted.split(".")[0], folder):
                answer = answer or found
        return UNKNOWN if answer is None and self._may_be_other(dotted.split(".")[0]) else answer

    def check(self, item: ImportedName) -> Iterator[Finding]:
        """What is wrong with one imported name."""
        if item.level:
            yield self._relative(item)
        elif not self.is_own(item.module):
            yield from self._foreign(item)
        else:
            module = self.resolve(item.module)
            if module is None:
                yield self._missing_module(item)
            elif isinstance(module, ApiObject) and module.kind != "module":
                if item.module not in self._api.modules_named(item.module.rpartition(".")[2]):
                    yield self._no_module(item, module)  # else both a module and what its package took out of it
            elif item.name not in ("", "*") and self._lacks(module, item):
                yield self.missing_name(item.module, item.name, item.line)

    def _lacks(self, module: Resolved, item: ImportedName) -> bool:
        """Whether a module has not what is imported from it, whatever the packages around it make at run time."""
        found = self.resolve(item.target)
        if (
            found is UNKNOWN
            and isinstance(module, ApiObject)
            and len(set(self._places(item.module.split(".")[0]))) == 1
        ):
            found = self._api.inside(module.path, item.name)
        return found is None

    def missing_name(self, module: str, name: str, line: int) -> Finding:
        """The finding that a module of the repository lacks a name."""
        owner = self.resolve(module)
        near = nearest(name, sorted(self._names(module)))
        return Finding(
            code="no-such-name",
            message=f"line {line}: {module} has no {name!r}" + (f"; did you mean {near!r}?" if near else ""),
            severity=self._severity,
            subject=f"{module}.{name}",
            suggestion=near,
            path=owner.path if isinstance(owner, ApiObject) else "",
        )

    def stars_lack(self, name: str) -> bool:
        """Whether all star imports are of the repository, and none of them brings that name."""
        return bool(self._stars) and all(self.resolve(f"{module}.{name}") is None for module in self._stars)

    def _names(self, module: str) -> set[str]:
        return {name for folder in self._path.folders for name in self._api.names_in(module, folder)}

    def _places(self, top: str) -> list[str]:
        return [place for folder in self._path.folders for place in self._api.places(top, folder)]

    def _may_be_other(self, top: str) -> bool:
        """Whether a name that is only a folder here may be a real package that is put on the path in ways not seen here."""
        if any(place.endswith(".py") for place in self._places(top)):
            return False
        homes = self._api.modules_named(top)
        return any(home.endswith("." + top) for home in homes) or top in self._api.requirements

    def _is_foreign(self, top: str) -> bool:
        """Whether an installed package goes before what the repository has: those that are loaded before any program,
        and any other before a mere folder with Python files."""
        files = any(place.endswith(".py") for place in self._places(top))
        if top in sys.stdlib_module_names:
            return not files or top in _LOADED_AT_START
        return not files and top in self._api.requirements

    def _relative(self, item: ImportedName) -> Finding:
        written = "." * item.level + item.module
        said = f"a script is not part of a package, so {written!r} cannot be imported"
        return self._finding(item, said, item.module, subject=written, severity="error")

    def _foreign(self, item: ImportedName) -> Iterator[Finding]:
        """An import of neither the repository nor the standard library: a mistake unless it is a library that people use."""
        top = item.module.split(".")[0]
        if top in sys.stdlib_module_names or top in self._api.third_party or top in self._documented_names():
            return
        known = top in known_libraries()
        home = "" if known else self._home(item)
        more = f"; the repository has {home}.{item.name}" if home else ", and the repository does not require one"
        yield self._finding(
            item, f"there is no module {item.module!r} here{more}", f"from {home} import {item.name}" if home else "",
            severity="warning" if known else self._severity,
        )  # fmt: skip

    def _home(self, item: ImportedName) -> str:
        """The module of the repository that has what is imported from an unknown one; "" where none has."""
        named = [home for home in self._api.modules_named(item.module) if self._has(home, item.name)]
        owners = [one.name.rpartition(".")[0] for one in self._api.objects if one.name.rpartition(".")[2] == item.name]
        return next(iter([*named, *sorted(owners, key=lambda owner: (owner.count("."), owner))]), "")

    def _has(self, home: str, name: str) -> bool:
        return bool(name) and isinstance(self._api.resolve(f"{home}.{name}"), ApiObject)

    def _documented_names(self) -> set[str]:
        """Top-level names that the Python blocks of the documents import."""
        blocks = (block for passage in self._index.passages for block in passage.blocks if block.language == "python")
        return {top for block in blocks for top in imported_tops(imports_in(block.text))}

    def _missing_module(self, item: ImportedName) -> Finding:
        parts = item.module.split(".")
        known = next(
            size
            for size in range(len(parts) - 1, -1, -1)
            if not size or self.resolve(".".join(parts[:size])) is not None
        )
        parent = ".".join(parts[:known])
        near = nearest(parts[known], sorted(self._names(parent)))
        suggestion = f"{parent}.{near}" if near else next(iter(self._api.modules_named(parts[-1])), "")
        hint = f"; did you mean {suggestion}?" if suggestion else ""
        return self._finding(item, f"{parent} has no module {parts[known]!r}{hint}", suggestion)

    def _no_module(self, item: ImportedName, found: ApiObject) -> Finding:
        package, _, name = item.module.rpartition(".")
        said = f"{item.module} is a {found.kind}, not a module"
        return self._finding(item, said, f"from {package} import {name}", path=found.path, line=found.line)

    def _finding(self, item: ImportedName, said: str, suggestion: str, **more: Any) -> Finding:
        """What is wrong with the module of an import."""
        facts = {"severity": self._severity, "subject": item.module, **more}
        return Finding(code="no-such-module", message=f"line {item.line}: {said}", suggestion=suggestion, **facts)


def import_path(tree: ast.Module, workdir: str) -> ImportPath:
    """The folder of the program, and those that it adds to `sys.path`."""
    folders, certain = [workdir], True
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("sys.path.append", "sys.path.insert"):
            last = node.args[-1] if node.args else None
            if isinstance(last, ast.Constant) and isinstance(last.value, str):
                folders.append(posixpath.normpath(posixpath.join(workdir, last.value)))
            else:
                certain = False
        elif isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.path" and not isinstance(node.ctx, ast.Load):
            certain = False
    return ImportPath(tuple(dict.fromkeys(folders)), certain)
