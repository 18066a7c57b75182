"""Which entry point a program is: the same one may be reached as a file, as a module, and as a console script."""

import ast
import functools
from pathlib import Path

from ml_agent.benchmarks.observation.model import Program

Entry = tuple[str, str]
"""File and function; "" as function where the file itself is what runs."""
DEPTH = 4
_QUIET = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.Assign, ast.AnnAssign)


def same_entry(first: Program, second: Program, root: Path) -> bool:
    """Whether two programs are one entry point of the repository, or one only hands over to the other's."""
    if not first.file or not second.file:
        return not first.file and not second.file and first.name == second.name
    one, other = entry_of(root, first.file), entry_of(root, second.file)
    passes = any(entry[1] and entry in program.chain for entry, program in ((one, second), (other, first)))
    return first.file == second.file or one == other or passes


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
        if _only_call(_tree(root, target[0])) in (None, target[1]) or target[0] == file:
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
    """The name of the one function that running a file calls, without arguments, where it does nothing else."""
    acts = [n for n in tree.body if not isinstance(n, _QUIET) and not _is_text(n)]
    if len(acts) == 1 and isinstance(acts[0], ast.If) and "__main__" in ast.dump(acts[0].test):
        acts = [n for n in acts[0].body if not isinstance(n, (ast.Import, ast.ImportFrom))]
    call = acts[0].value if len(acts) == 1 and isinstance(acts[0], ast.Expr) else None
    if isinstance(call, ast.Call) and call.args and ast.unparse(call.func).rpartition(".")[2] == "exit":
        call = call.args[0]
    return call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args else None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _import_target(tree: ast.Module, name: str, root: Path, file: str) -> Entry | None:
    """Where an imported function stands; None for a function of the file itself."""
    for node in (n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)):
        for alias in node.names:
            if (alias.asname or alias.name) == name:
                found = _module_file(root, file, node)
                return (found, alias.name) if found else None
    return None


def _module_file(root: Path, file: str, node: ast.ImportFrom) -> str:
    """The file of an imported module, beside the file or from the root; "" where there is none."""
    folder = Path(file).parent
    bases = [folder.joinpath(*[".."] * (node.level - 1))] if node.level else [folder, Path(), Path("src")]
    for base in bases:
        place = base.joinpath(*(node.module or "").split("."))
        for candidate in (place.with_suffix(".py") if node.module else place / "__init__.py", place / "__init__.py"):
            if (root / candidate).is_file():
                return Path(*[p for p in candidate.parts if p != "."]).as_posix()
    return ""
