"""Which entry point a program is: the same one may be reached as a file, as a module, and as a console script."""

import ast
import functools
from pathlib import Path

from ml_agent.benchmarks.same_call.model import Program

Entry = tuple[str, str]
"""File and function; "" as function where the file itself is what runs."""
DEPTH = 4


def same_entry(first: Program, second: Program, root: Path) -> bool:
    """Whether two programs are one entry point of the repository."""
    if not first.file or not second.file:
        return not first.file and not second.file and first.name == second.name
    if first.file == second.file:
        return True
    one, other = entry_of(root, first.file), entry_of(root, second.file)
    if one == other:
        return True
    return _passes(first, other) or _passes(second, one)


def _passes(program: Program, entry: Entry) -> bool:
    """Whether a program goes through an entry point's function on the way to its parser: it only hands over."""
    return bool(entry[1]) and entry in program.chain


@functools.lru_cache(maxsize=4096)
def entry_of(root: Path, file: str) -> Entry:
    """The function that a file only imports and calls, through as many files as do no more than that."""
    for _ in range(DEPTH):
        tree = _tree(root, file)
        called = _only_call(tree)
        if called is None:
            break
        target = _import_target(tree, called, root, file)
        if target is None:
            return file, called
        if target[1] == "":
            return target
        inner = _only_call(_tree(root, target[0]))
        if inner is None or inner == target[1] or target[0] == file:
            return target
        file = target[0]
    return file, ""


def _tree(root: Path, file: str) -> ast.Module:
    """The syntax tree of a file; an empty one where it cannot be read."""
    try:
        return ast.parse((root / file).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ast.Module(body=[], type_ignores=[])


def _only_call(tree: ast.Module) -> str | None:
    """The name of the one function that running a file calls, where it does nothing else."""
    quiet = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.Assign, ast.AnnAssign)
    acts = [n for n in tree.body if not isinstance(n, quiet) and not _is_text(n)]
    if len(acts) != 1:
        return None
    body = acts[0].body if isinstance(acts[0], ast.If) and "__main__" in ast.dump(acts[0].test) else [acts[0]]
    body = [n for n in body if not isinstance(n, (ast.Import, ast.ImportFrom))]
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        return None
    call = body[0].value
    if isinstance(call, ast.Call) and _leaves(call.func) and call.args:
        call = call.args[0]
    return call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args else None


def _leaves(function: ast.expr) -> bool:
    return (isinstance(function, ast.Attribute) and function.attr == "exit") or getattr(function, "id", "") == "exit"


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _import_target(tree: ast.Module, name: str, root: Path, file: str) -> Entry | None:
    """Where an imported function stands; None for a function of the file itself."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        for alias in node.names:
            if (alias.asname or alias.name) == name:
                found = _module_file(root, file, node)
                return (found, alias.name) if found else None
    return None


def _module_file(root: Path, file: str, node: ast.ImportFrom) -> str:
    folder = Path(file).parent
    bases = [folder, Path(), Path("src")]
    if node.level:
        bases = [folder.joinpath(*[".."] * (node.level - 1))]
    for base in bases:
        place = base.joinpath(*(node.module or "").split("."))
        for candidate in (place.with_suffix(".py") if node.module else place / "__init__.py", place / "__init__.py"):
            if (root / candidate).is_file():
                return Path(*[p for p in candidate.parts if p != "."]).as_posix()
    return ""
