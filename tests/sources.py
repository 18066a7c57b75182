"""The project's own Python files, and what each imports: read as text, nothing is run."""

import ast
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ml_agent.tools.python_source import syntax_tree

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "tools": set[str](),
    "prompts": set[str](),
    "sandbox": {"tools"},
    "ml_agent": {"tools", "prompts", "sandbox"},
    "benchmarks": {"ml_agent", "tools", "prompts", "sandbox"},
}
"""The rooms, each with those below it. Folders of the same names lie at the top; they are imported as `ml_agent.tools` and so on."""
_DATA = ("/repositories/", "/cases/", "/compiled/report_page.py")
"""Repositories that come along as data, and what another program wrote."""


def sources(folder: str) -> Iterator[Path]:
    """The Python files of a folder, without those that are data."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        if not any(part in path.as_posix() for part in _DATA):
            yield path


class Import(NamedTuple):
    """One import: at a file's head, in a function, for type checkers, or by a name in a string."""

    line: int
    module: str
    members: tuple[str, ...] = ()
    """What is imported from it, each with the module's name before it."""


class Function(NamedTuple):
    """A function, a method, or one inside another."""

    name: str
    lines: int
    """From `def` to its last."""


class Contents(NamedTuple):
    """What the rules of the tree look at in a file."""

    imports: tuple[Import, ...]
    functions: tuple[Function, ...]


@cache
def contents(path: Path) -> Contents:
    """A file's imports and functions."""
    package = module_name(path).split(".")[: None if path.name == "__init__.py" else -1]
    imports, functions = list[Import](), list[Function]()
    for node in ast.walk(syntax_tree(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append(Function(node.name, (node.end_lineno or node.lineno) - node.lineno + 1))
        elif isinstance(node, ast.Import):
            imports += [Import(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            imports.append(Import(node.lineno, module, tuple(f"{module}.{alias.name}" for alias in node.names)))
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            names = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            imports += [Import(node.lineno, name) for name in names]
    return Contents(tuple(imports), tuple(functions))


def module_name(path: Path) -> str:
    """The name by which a file is imported."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    return f"ml_agent.{name}" if name.partition(".")[0] in MAY_IMPORT.keys() - {"ml_agent"} else name


def room_of(module: str) -> str:
    """The room that a module of ours belongs to; of others the first part of their names."""
    first, _, rest = module.partition(".")
    second = rest.partition(".")[0]
    return second if first == "ml_agent" and second in MAY_IMPORT else first


def module_graph() -> dict[str, set[str]]:
    """The modules of all rooms, each with those that it imports."""
    files = {module_name(path): path for room in MAY_IMPORT for path in sources(room)}
    return {name: set(_modules(contents(path).imports, files.keys())) - {name} for name, path in files.items()}


def _modules(imports: Iterable[Import], known: Container[str]) -> Iterator[str]:
    """A package counts where what is imported from it is no module."""
    for one in imports:
        modules = [member for member in one.members if member in known]
        yield from modules
        if one.module in known and (len(modules) < len(one.members) or not one.members):
            yield one.module


def neighbour_graphs(modules: Mapping[str, set[str]]) -> dict[str, dict[str, set[str]]]:
    """For each package its direct members, modules and packages alike, with those beside them that they or what is in them imports."""
    graphs: dict[str, dict[str, set[str]]] = {}
    for name, others in modules.items():
        for other in others:
            one, two = name.split("."), other.split(".")
            shared = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
            if shared is not None:
                graph = graphs.setdefault(".".join(one[:shared]), {})
                left, right = ".".join(one[: shared + 1]), ".".join(two[: shared + 1])
                graph.setdefault(left, set()).add(right)
                graph.setdefault(right, set())
    return graphs


def circle(needs: Mapping[str, set[str]]) -> list[str]:
    """One circle of imports, or nothing."""
    done: set[str] = set()

    def visit(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        for other in sorted(needs[name]):
            if found := visit(other, [*way, name]):
                return found
        done.add(name)
        return []

    return next((found for name in needs if (found := visit(name, []))), [])
