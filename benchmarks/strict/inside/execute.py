"""Carries out a program."""

import __future__

import ast
import importlib.util
import operator
import runpy
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import calls, setting, syntax
from .target import Target
from .unknown import Unknown

Harmless = Callable[[BaseException], bool]


def execute(target: Target, harmless: Harmless) -> None:
    """Run the program; the answer's own code goes on with an unknown value after a call that says nothing."""
    if target.module:
        find_module(target.module)
    if target.function:
        operator.attrgetter(target.function)(importlib.import_module(target.module))()
        return
    if target.module:
        sys.modules["__main__"] = types.ModuleType("__main__")
        runpy._run_module_as_main(target.module)  # type: ignore[attr-defined]  # as the interpreter does: what it set can still be seen at its end
        return
    source = Path(target.path).read_bytes()
    module = types.ModuleType("__main__")
    vars(module).update(__file__=target.path, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    if target.own:
        vars(module)[calls.NAME] = calls.carry_out(harmless)
        tree = calls.rewrite(setting.Setting().visit(ast.parse(source, target.path)), own=True)
        statement_by_statement(tree, target.path, vars(module), harmless)
        return
    exec(compile(source, target.path, "exec", dont_inherit=True), vars(module))


def statement_by_statement(tree: ast.Module, path: str, names: dict[str, Any], harmless: Harmless) -> None:
    """Execute a program; what a statement would have assigned is unknown where it ends at something unknown."""
    future = (
        __future__.annotations.compiler_flag if any(getattr(n, "module", "") == "__future__" for n in tree.body) else 0
    )
    for node in tree.body:
        block = ast.Module(body=[node], type_ignores=[])
        try:
            exec(compile(block, path, "exec", flags=future, dont_inherit=True), names)
        except Exception as error:  # foreign code raises anything; what no stub explains goes on
            if not harmless(error):
                raise
            for name in (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)):
                names.setdefault(name, Unknown(name))


def find_module(name: str) -> None:
    """Raise as an import would where the module to run does not exist (runpy hides which one is missing)."""
    parent = name.rpartition(".")[0]
    if parent:
        importlib.import_module(parent)
    if importlib.util.find_spec(name) is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def origin(name: str, function: str = "") -> str:
    """The file of a module that `-m` runs, or in which a function stands; "" where there is none."""
    spec = importlib.util.find_spec(name)
    if not function and spec is not None and spec.submodule_search_locations:
        spec = importlib.util.find_spec(f"{name}.__main__")
    return str(spec.origin or "") if spec is not None else ""


def remaining(path: str) -> None:
    """What stands where the run did not come: imports (but for those that are tried), and names that nothing binds."""
    tree = syntax.tree(path)
    tried = {id(n) for t in ast.walk(tree) if isinstance(t, ast.Try) for n in ast.walk(t)}
    nodes = [n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)) and id(n) not in tried]
    for node in nodes:
        block = ast.Module(body=[node], type_ignores=[])
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            exec(compile(block, path, "exec"), {"__name__": "__main__", "__file__": path})
    names = syntax.undefined_names(path)
    if names:
        raise UndefinedName(f"name {names[0]!r} is not defined", name=names[0])


class UndefinedName(NameError):
    """A name that nothing binds, found without running the line that reads it."""
