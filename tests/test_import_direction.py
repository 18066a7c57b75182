"""What the rooms may import of each other, read from the source: function-level imports and names in strings count, too."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "tools": set[str](),
    "prompts": set[str](),
    "sandbox": set[str](),
    "ml_agent": {"tools", "prompts", "sandbox"},
    "benchmarks": {"ml_agent", "tools", "prompts", "sandbox"},
}
NOT_OURS = ("samples/repositories", "setup_bench/cases")
"""Repositories that are shipped as data."""


def sources(room: str) -> Iterator[Path]:
    for path in sorted((ROOT / room).rglob("*.py")):
        if not any(part in path.as_posix() for part in NOT_OURS):
            yield path


def imported(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Modules that a file imports, anywhere in it, with the line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, node.lineno
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            yield from (
                (a.value, node.lineno) for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)
            )


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_run_downward(room: str) -> None:
    forbidden = MAY_IMPORT.keys() - MAY_IMPORT[room] - {room}
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in sources(room)
        for module, line in imported(ast.parse(path.read_text(encoding="utf-8")))
        if module.partition(".")[0] in forbidden
    ]
    assert not wrong


def at_import(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements that run when a module is imported; not those for type checkers only."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            waiting += [*node.body, *node.orelse]
        elif isinstance(node, ast.Try):
            waiting += [*node.body, *node.orelse, *node.finalbody, *(s for h in node.handlers for s in h.body)]


def graph() -> dict[str, set[str]]:
    """Modules of all rooms, with those that their import needs."""
    files = {}
    for room in MAY_IMPORT:
        for path in sources(room):
            parts = path.relative_to(ROOT).with_suffix("").parts
            files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    found: dict[str, set[str]] = {}
    for name, path in files.items():
        needed: set[str] = set()
        for node in at_import(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                needed |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                needed |= whole & files.keys() or {node.module}
        found[name] = (needed & files.keys()) - {name}
    return found


def circle(needs: dict[str, set[str]]) -> list[str]:
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


def test_there_are_no_circles() -> None:
    assert circle(graph()) == []


def test_a_circle_would_be_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_the_bench_hangs_on_the_command_line_by_its_entry_point_only() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {"ml_agent.commands": {"bench": "benchmarks.cli:app"}}
