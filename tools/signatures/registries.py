"""Tables that modules fill when they are imported, and commands that they add to an application.

Choices often come from such a table: `MODELS = {}`, and `@register("vit")` in every file of a folder. Who reads one makes the
interpreter follow the modules that fill it, also those that the script imports for nothing else.
"""

import ast
from collections.abc import Iterable, Sequence
from pathlib import Path

from ml_agent.tools.signatures.control_flow import Machine
from ml_agent.tools.signatures.values import UNKNOWN, Module, Value


def fill(run: Machine, module: Module, name: str) -> None:
    """A table that begins empty is read: modules that were imported for other things may have filled it by now."""
    if run.importing or not module.registering or name not in module.registries or module.state != "done":
        return
    functions, module.registering = module.registering, frozenset()
    for _ in range(MAX_ROUNDS):  # those who fill it may import others by names that are computed
        known = [path for path, other in run.modules.items() if other.state != "new"]
        with run.budget.unspent():
            paths = run.sources.callers(functions, known)
        run.eager.update(paths)
        for path in paths:
            _run_package(run, path)
        if len(known) == sum(other.state != "new" for other in run.modules.values()):
            return


def find_commands(run: Machine, names: Sequence[str] = ("command", "group", "callback")) -> None:
    """An application parses: modules that were imported for nothing else give it commands by its decorators."""
    if run.importing:
        return
    known = [path for path, module in run.modules.items() if module.state != "new"]
    with run.budget.unspent():
        paths = run.sources.callers(names, known)
    for path in paths:
        _run_package(run, path)


def _run_package(run: Machine, path: str) -> None:
    """Follow a module, and the packages around it before."""
    names = path.removesuffix(".py").removesuffix("/__init__").split("/")
    for count in range(1, len(names)):
        outer = "/".join(names[:count]) + "/__init__.py"
        if run.sources.exists(outer):
            run.run_module(run.module(outer, ".".join(names[:count])))
    run.run_module(run.module(path, ".".join(names)))


def doubt_registries(modules: Iterable[Module]) -> None:
    """A module was not followed to its end: what it would have registered is missing in tables that begin empty."""
    for module in modules:
        for name, value in module.env.items():
            if name in module.registries:
                _doubt(value, 0)


def _doubt(value: Value, depth: int) -> None:
    if isinstance(value, dict) and depth < MAX_NESTED:
        for inner in list(value.values()):
            _doubt(inner, depth + 1)
        value[UNKNOWN] = UNKNOWN


def begin(module: Module, place: Path, tree: ast.Module | None) -> None:
    """Note a module's own names, its tables that begin empty and its functions that fill them, before it is followed."""
    module.env.update(__name__=module.name, __file__=str(place))
    if place.name == "__init__.py":
        module.env["__path__"] = [str(place.parent)]
    if tree is not None:
        module.env["__doc__"] = ast.get_docstring(tree)
        module.registries = _registries_of(tree)
        module.registering = _registering_in(tree, module.registries)


def _registries_of(tree: ast.Module) -> frozenset[str]:
    """The names that a module binds to empty tables."""
    return frozenset(
        target.id
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and _is_empty(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    )


def _registering_in(tree: ast.Module, registries: frozenset[str]) -> frozenset[str]:
    """The functions of a module that put something into its tables."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)] if registries else []
    return frozenset(f.name for f in functions if any(_puts_into(node, registries) for node in ast.walk(f)))


def _puts_into(node: ast.AST, registries: frozenset[str]) -> bool:
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Store):
        return False
    return isinstance(node.value, ast.Name) and node.value.id in registries


def _is_empty(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Dict):
        return not node.keys
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in EMPTY and len(node.args) < 2


EMPTY = ("dict", "OrderedDict", "defaultdict")
MAX_NESTED = 3
MAX_ROUNDS = 3
