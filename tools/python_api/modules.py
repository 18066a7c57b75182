"""Which file or folder a dotted module name means."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

_COMPILED = (".pyx", ".pyd", ".so", ".pyi", ".c", ".cc", ".cpp", ".cu", ".proto")
_PROJECT_FILES = frozenset(["setup.py", "pyproject.toml", "setup.cfg"])


class ModuleTable:
    """The modules of a repository by place.

    Args:
        files: Relative posix paths of all files.
    """

    def __init__(self, files: Iterable[str]) -> None:
        self._files = frozenset(files)
        self.python = tuple(path for path in files if path.endswith(".py"))
        self.folders = frozenset(_parents(self.python))
        self._compiled = {path.split(".")[0] for path in self._files if path.endswith(_COMPILED)}

    @cached_property
    def _projects(self) -> frozenset[str]:
        """The folders with a file that makes a project of them."""
        return frozenset(
            folder for folder, _, name in (path.rpartition("/") for path in self._files) if name in _PROJECT_FILES
        )

    @cached_property
    def install_roots(self) -> tuple[str, ...]:
        """Folders whose packages are importable once the repository is installed, the root first."""
        projects = sorted(project or "." for project in self._projects)
        candidates = [".", "src", *(folder for project in projects for folder in (project, join(project, "src")))]
        return tuple(dict.fromkeys(folder for folder in candidates if folder == "." or folder in self.folders))

    @cached_property
    def _sources(self) -> frozenset[str]:
        """The folders `src` beside a project's file that hold folders alone: no package is called so, and what is in them may lack an `__init__.py`."""
        found = (join(project, "src") for project in self._projects)
        held = {path.rpartition("/")[0] for path in self.python}
        return frozenset(folder for folder in found if folder not in held)

    @cached_property
    def _package_roots(self) -> dict[str, str]:
        """The folder above each top-level package, by the package's name; only where there is one of that name."""
        found: dict[str, set[str]] = {}
        for path in self.python:
            if path.endswith("/__init__.py"):
                folder = path.removesuffix("/__init__.py")
                parent, _, name = folder.rpartition("/")
                if join(parent or ".", "__init__.py") not in self._files:
                    found.setdefault(name, set()).add(parent or ".")
        return {name: next(iter(parents)) for name, parents in found.items() if len(parents) == 1}

    def find(self, folder: str, name: str) -> str | None:
        """What `import name` finds in a folder: a module's file, a package's `__init__.py`, or a folder with Python in it."""
        base = join(folder, name)
        for path in (base + "/__init__.py", base + ".py"):
            if path in self._files:
                return path
        return base if base in self.folders else None

    def children(self, folder: str) -> Iterator[str]:
        """The names of the modules and packages right below a folder."""
        prefix = "" if folder in (".", "") else folder + "/"
        for path in (*self.python, *self.folders):
            if path.startswith(prefix) and "/" not in path[len(prefix) :] and not path.endswith("__init__.py"):
                yield path[len(prefix) :].removesuffix(".py")

    def is_compiled(self, folder: str, name: str) -> bool:
        """Whether a module of that name may come out of a compiler or a generator."""
        return join(folder, name) in self._compiled

    def roots(self, top: str, folders: Sequence[str]) -> list[str]:
        """The folders from which a top-level name can be imported, in the order of the import path.

        Args:
            top: First part of a dotted module name.
            folders: Where the program runs and where its script is; the places of an installation come after them.
        """
        return [
            folder for folder in dict.fromkeys([*folders, *self.install_roots]) if self.find(folder, top) is not None
        ]

    def lone_root(self, top: str) -> str | None:
        """The folder above the only package of that name, wherever it is: documents often leave out how it gets on the path."""
        return self._package_roots.get(top)

    def dotted(self, path: str) -> str:
        """The name by which a module is best known: from the place of installation it is below, else from the root."""
        name = path.removesuffix(".py").removesuffix("__init__").rstrip("/")
        fits = [root for root in self.install_roots if root != "." and name.startswith(root + "/")]
        for root in sorted(fits, key=len, reverse=True):
            rest = name[len(root) + 1 :]
            if root in self._sources or join(root, rest.split("/")[0] + "/__init__.py") in self._files:
                return rest.replace("/", ".")
        return name.replace("/", ".")


def _parents(paths: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def join(folder: str, name: str) -> str:
    """A path below a folder; "." and "" are the root."""
    return name if folder in (".", "") else f"{folder}/{name}"
