"""The import finders: the repository's modules are real, readers of command lines are real, other libraries are unknown.

So a program comes to its parser although nothing is installed. A module of the repository is executed statement by statement: one that ends at
something unknown binds its names to unknown values, and the rest of the module is there.
"""

import __future__

import ast
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any

from . import calls
from .scope import Scope, source, tree
from .unknown import Unknown, UnknownModule

WRITTEN_AT_INSTALL = ("version", "_version", "__version__")
"""Modules that a package's installation writes, and its repository does not hold."""
Harmless = Callable[[BaseException], bool]


class MadeLoader(Loader):
    """Gives a module that a function makes."""

    def __init__(self, make: Callable[[], types.ModuleType]) -> None:
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
        top, last = name.partition(".")[0], name.rpartition(".")[2]
        parent = sys.modules.get(name.rpartition(".")[0])
        if top in sys.stdlib_module_names or top.startswith("_frozen"):
            return None
        known = isinstance(parent, UnknownModule) or (parent is None and top in self.foreign)
        if known or (parent is not None and last in WRITTEN_AT_INSTALL):
            return ModuleSpec(name, MadeLoader(lambda: unknown_module(name)), is_package=True)
        return None


class FirstFinder(MetaPathFinder):
    """Asked first: modules that are always made here, and the repository's own.

    Args:
        made: module name -> function that makes it.
        scope: which files are the repository's.
        harmless: whether an error says nothing about the answer.
    """

    def __init__(self, made: Mapping[str, Callable[[], types.ModuleType]], scope: Scope, harmless: Harmless) -> None:
        self.made, self.scope, self.harmless = made, scope, harmless

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        if name in self.made:
            return ModuleSpec(name, MadeLoader(self.made[name]), is_package=True)
        if name in sys.builtin_module_names or (path is not None and not list(path)):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader) and self.scope.has(spec.loader.path):
            spec.loader = OwnLoader(name, spec.loader.path)
            spec.loader.harmless, spec.loader.rewriting = self.harmless, bool(self.scope.answer)
        return spec


class OwnLoader(SourceFileLoader):
    """Loads a module of the repository; what it stumbles over is left out, and the names of that are unknown."""

    harmless: Harmless
    rewriting: bool

    def exec_module(self, module: types.ModuleType) -> None:
        path = self.path
        body = ast.parse(source(path), path)
        if self.rewriting:
            body = calls.rewrite(body, own=False)
            vars(module)[calls.NAME] = calls.carry_out(self.harmless)
        if statement_by_statement(body, path, vars(module), self.harmless):
            module.__bench_stumbled__ = True  # type: ignore[attr-defined]
            names = set(bound_names(tree(path)))
            vars(module).setdefault("__getattr__", lambda name: _late(module, names, name))


def statement_by_statement(body: ast.Module, path: str, names: dict[str, Any], harmless: Harmless) -> bool:
    """Execute a program or a module; what a statement would have bound is unknown where it ends at something unknown.

    Returns: whether there was such a statement.
    """
    future = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in body.body)
    flags = __future__.annotations.compiler_flag if future else 0
    docstring = ast.get_docstring(body, clean=False)
    names.setdefault("__doc__", docstring)
    stumbled = False
    for node in body.body:
        try:
            code = compile(ast.Module(body=[node], type_ignores=[]), path, "exec", flags=flags, dont_inherit=True)
            exec(code, names)
        except Exception as error:  # foreign code raises anything; what no stub explains goes on
            if not harmless(error):
                raise
            stumbled = True
            for name in bound_names(node):
                names.setdefault(name, Unknown(name))
    return stumbled


def _late(module: types.ModuleType, names: set[str], name: str) -> Any:
    if name in names:
        return Unknown(f"{module.__name__}.{name}")
    raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module)


def bound_names(body: ast.AST) -> Iterable[str]:
    """The names that a syntax tree binds anywhere."""
    for node in ast.walk(body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((a.asname or a.name).partition(".")[0] for a in node.names)
