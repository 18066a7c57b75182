"""How an entry point uses the repository's own code: its imports and calls, as an example for code that does a like task."""

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.navigator import Workspace
from ml_agent.tools.errors import ToolError
from ml_agent.tools.files import Tree
from ml_agent.tools.outline import Import
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.python_source import parse_python
from ml_agent.tools.retrieval import tokenize

_READ = 200_000
_MOST_NODES = 100_000
_MOST_CALLS = 400
_LONGEST_CALL = 260
_MOST_LINES = 30
_LONGEST_IMPORT = 140
_COMMON = frozenset(name for kind in (str, bytes, list, dict, set, int) for name in dir(kind)) | {
    "add_argument", "parse_args", "eval", "train", "to", "cuda", "cpu", "close", "read", "write", "step", "zero_grad",
    "backward", "parameters", "state_dict", "load_state_dict", "numpy", "item", "mean", "sum", "size", "view", "reshape",
}  # fmt: skip
"""Methods that say nothing of whose they are."""


class _Call(NamedTuple):
    """A call as it stands in the source."""

    line: int
    text: str
    names: frozenset[str]
    """Names of the repository that are called in it."""


def uses_of(path: str, words: str, workspace: Workspace, most: int) -> str:
    """What a Python file imports from its repository and calls of it, in at most so many characters; "" where nothing.

    Calls that share words with `words` come before others, and all stand in the order of the source.
    """
    found = _read(path, workspace)
    if found is None:
        return ""
    imports, calls = found
    said = set(tokenize(words))
    kept: dict[int, str] = {}
    for call in sorted(calls, key=lambda one: (-_worth(one, said), one.line)):
        if len(call.text) + 1 <= most // 2 + most // 4 - sum(len(text) + 1 for text in kept.values()):
            kept[call.line] = call.text
    used = {name for call in calls if call.line in kept for name in call.names}
    lines = [kept[line] for line in sorted(kept)]
    room = most - sum(len(line) + 1 for line in lines)
    heads = list[str]()
    for statement in dict.fromkeys(one.statement[:_LONGEST_IMPORT] for one in imports if one.local in used):
        if len(statement) + 1 <= room:
            heads.append(statement)
            room -= len(statement) + 1
    return "\n".join([*heads, *lines]) if lines else ""


def _worth(call: _Call, said: set[str]) -> float:
    text = set(tokenize(call.text))
    return len(text & said) / (6 + len(text))


def _read(path: str, workspace: Workspace) -> tuple[list[Import], list[_Call]] | None:
    """The imports of the repository's own code and the calls of a file; None where it cannot be read."""
    if not path.endswith(".py"):
        return None
    try:
        source = Tree(workspace.index.root).read_text(path, _READ)
    except (ToolError, OSError):
        return None
    tree, api = parse_python(source), workspace.index.api
    facts = api.facts.get(path)
    if tree is None or facts is None:
        return None
    folder = str(PurePosixPath(path).parent)
    own = [one for one in facts.imports if one.module.startswith(".") or api.claims(one.module.split(".")[0], folder)]
    foreign = _foreign(tree, frozenset(one.local for one in facts.imports if one not in own))
    lines = [line.strip()[:_LONGEST_CALL] for line in source.split("\n")]
    calls = _calls(tree, lines, frozenset(one.local for one in own), foreign, _methods(api))
    return own, list(islice(calls, _MOST_CALLS))


def _calls(
    tree: ast.AST, lines: Sequence[str], own: frozenset[str], foreign: frozenset[str], methods: frozenset[str]
) -> Iterator[_Call]:
    """The lines that call what is imported from the repository, or a method that it defines; each once."""
    seen = set[str]()
    for node in islice(ast.walk(tree), _MOST_NODES):
        if not isinstance(node, ast.Call):
            continue
        base = _base(node.func)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if base not in own and (base in foreign or method not in methods):
            continue
        last = min(node.end_lineno or node.lineno, node.lineno + _MOST_LINES)
        text = " ".join(lines[node.lineno - 1 : last])[:_LONGEST_CALL]
        if text not in seen:
            seen.add(text)
            yield _Call(node.lineno, text, frozenset({base}))


def _foreign(tree: ast.AST, imported: frozenset[str]) -> frozenset[str]:
    """The names that hold other packages, or what a call into one of them gave."""
    found = set(imported)
    for node in islice(ast.walk(tree), _MOST_NODES):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _base(node.value.func) in imported:
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return frozenset(found)


def _base(function: ast.expr) -> str:
    """The name that a chain of attributes begins with; "" where it begins with something else."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return function.id if isinstance(function, ast.Name) else ""


@lru_cache(maxsize=8)
def _methods(api: ApiIndex) -> frozenset[str]:
    """The names of methods that a repository defines and that are not everybody's."""
    names = (
        one.name.rpartition(".")[2] for module in api.outlines.values() for one in module.names if one.kind == "method"
    )
    return frozenset(name for name in names if not name.startswith("_") and name not in _COMMON)
