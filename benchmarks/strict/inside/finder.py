"""The import finders: the repository's modules are real, parsers of command lines are real, other libraries are unknown."""

import ast
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

from . import calls
from .scope import Scope
from .syntax import tree
from .unknown import Unknown, UnknownModule

WRITTEN_AT_INSTALL = ("version", "_version", "__version__")
"""Modules that a package's installation writes, and its repository does not hold."""
COMPILED = (".pyx", ".pyx.in", ".c", ".cc", ".cpp", ".cu", ".f", ".f90")
"""How the sources of modules end that an installation compiles."""
Make = Callable[[], types.ModuleType]


class MadeLoader(Loader):
    """Gives a module that a function makes."""

    def __init__(self, make: Make) -> None:
        self.make = make

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return self.make()

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def unknown_module(name: str) -> types.ModuleType:
    """An unknown module that has submodules."""
    module = UnknownModule(name)
    module.__path__ = []
    module.__file__ = "<unknown>"
    return module


class LastFinder(MetaPathFinder):
    """Asked last: what neither the repository nor the standard library has is unknown where it is a library.

    Args:
        foreign: top-level names that are libraries; any other name stays missing.
    """

    def __init__(self, foreign: frozenset[str]) -> None:
        self.foreign = foreign

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        top = name.partition(".")[0]
        parent = sys.modules.get(name.rpartition(".")[0])
        if top in sys.stdlib_module_names or top.startswith("_frozen"):
            return None
        if parent is not None and _made_at_install(parent, name.rpartition(".")[2]):
            return ModuleSpec(name, MadeLoader(lambda: unknown_module(name)), is_package=True)
        # `pyannote.core`, which a project requires, lies beside its own `pyannote.audio` once both are installed.
        shared = parent is not None and not {name.lower(), name.lower().replace(".", "_")}.isdisjoint(self.foreign)
        if isinstance(parent, UnknownModule) or shared or (parent is None and top in self.foreign):
            return ModuleSpec(name, MadeLoader(lambda: unknown_module(name)), is_package=True)
        return None


def _made_at_install(package: types.ModuleType, name: str) -> bool:
    """Whether an installation writes or compiles a module of a package."""
    folders = map(str, getattr(package, "__path__", ()))
    return name in WRITTEN_AT_INSTALL or any(
        Path(folder, name + ending).is_file() for folder in folders for ending in COMPILED
    )


class FirstFinder(MetaPathFinder):
    """Asked first: modules that are always made here (TensorFlow's flags stand on absl), and the repository's own.

    Args:
        made: module name -> function that makes it.
        scope: which files are the repository's.
        harmless: whether an error says nothing about the answer.
        rewriting: whether the calls of the repository's modules go on after such an error.
    """

    def __init__(
        self, made: Mapping[str, Make], scope: Scope, harmless: Callable[[BaseException], bool], rewriting: bool
    ) -> None:
        self.made, self.scope, self.harmless, self.rewriting = made, scope, harmless, rewriting

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        if name in self.made:
            return ModuleSpec(name, MadeLoader(self.made[name]), is_package=True)
        if name in sys.builtin_module_names or (path is not None and not list(path)):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin and spec.loader is not None and self.scope.has(spec.origin):
            spec.loader = OwnLoader(spec.loader, self.harmless, self.rewriting)
        return spec


class WrappingLoader(Loader):
    """Does as another loader, but for what a subclass does itself."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def create_module(self, spec: ModuleSpec) -> Any:
        return self.inner.create_module(spec)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class OwnLoader(WrappingLoader):
    """Loads a module of the repository; where it stumbles over what is unknown, its remaining names are unknown."""

    def __init__(self, inner: Any, harmless: Callable[[BaseException], bool], rewriting: bool) -> None:
        super().__init__(inner)
        self.harmless, self.rewriting = harmless, rewriting

    def exec_module(self, module: types.ModuleType) -> None:
        try:
            self.run(module)
        except Exception as error:  # foreign code raises anything; what no stub explains goes on
            if not self.harmless(error):
                raise
            names = bound_names(module.__file__ or "")
            module.__strict_stumbled__ = True  # type: ignore[attr-defined]
            vars(module)["__getattr__"] = lambda name: _late(module, names, name)

    def run(self, module: types.ModuleType) -> None:
        """Execute the module; for an answer in Python its calls go on after what is unknown, as the answer's own do."""
        path = module.__file__ or ""
        if self.rewriting and path.endswith(".py"):
            try:
                code = calls.compiled(self.inner.get_data(path), path)
            except SyntaxError:
                pass
            else:
                vars(module)[calls.NAME] = calls.carry_out(self.harmless)
                exec(code, vars(module))
                return
        self.inner.exec_module(module)


def _late(module: types.ModuleType, names: set[str], name: str) -> Any:
    if name in names:
        return Unknown(f"{module.__name__}.{name}")
    raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module)


def bound_names(path: str) -> set[str]:
    """The names that a file binds anywhere."""
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(a.asname or a.name).partition(".")[0] for a in node.names}
    return names
