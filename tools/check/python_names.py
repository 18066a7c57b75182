"""What names in Python code stand for: dotted names through imports and aliases, texts and paths as far as they are written out."""

import ast
import posixpath
from functools import cached_property

UNKNOWN = "?"
"""Stands for a part of a path that only a run knows."""
_HOME = frozenset({"HOME", "USERPROFILE"})
_JOINS = frozenset({"os.path.join", "posixpath.join", "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"})
_SAME = frozenset({"os.path.expanduser", "os.path.abspath", "os.path.realpath", "os.path.normpath", "str", "os.fspath"})
MODULES = frozenset(
    [
        "os",
        "posix",
        "nt",
        "subprocess",
        "builtins",
        "importlib",
        "ctypes",
        "pty",
        "sys",
        "shutil",
        "distutils",
        "f2py",
        "cpp_extension",
    ]
)
"""Modules that are reached through others too: `torch.os` is os; the last two build code and load it."""
_LONGEST = 4_000
"""Characters of a path."""
_PATH_METHODS = frozenset({"expanduser", "resolve", "absolute"})


class Names:
    """The names of one piece of code."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._places: dict[ast.AST, str] = {}
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def imported(self) -> dict[str, str]:
        """What each imported name stands for."""
        found: dict[str, str] = {}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Import):
                for item in node.names:
                    first = item.name.partition(".")[0]
                    found[item.asname or first] = item.name if item.asname else first
            elif isinstance(node, ast.ImportFrom):
                found |= {item.asname or item.name: f"{node.module or ''}.{item.name}" for item in node.names}
        return found

    @cached_property
    def tops(self) -> frozenset[str]:
        """The first parts of what is imported."""
        return frozenset(target.partition(".")[0] for target in self.imported.values())

    @cached_property
    def own(self) -> frozenset[str]:
        """Names that the code surely binds itself before anything else runs, and never takes back."""
        defines = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        made = {node.name for node in self._tree.body if isinstance(node, defines)}
        lost = {
            node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)
        }
        return frozenset(made - lost)

    @cached_property
    def values(self) -> dict[str, ast.expr]:
        """What is assigned to each name that is assigned once."""
        found: dict[str, list[ast.expr]] = {}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                found.setdefault(node.targets[0].id, []).append(node.value)
        return {name: values[0] for name, values in found.items() if len(values) == 1}

    def origin(self, node: ast.AST) -> str:
        """The dotted name that an expression stands for; "" for what is no name."""
        behind: list[str] = []
        while isinstance(node, ast.Attribute):
            behind.append(node.attr)
            node = node.value
        first = ""
        if isinstance(node, ast.Name):
            known = node.id in MODULES or node.id in ("open", "str")
            first = self.imported.get(node.id, node.id if known and node.id not in self.own else "")
        if not behind:
            return first
        parts = [*first.split("."), *reversed(behind)]
        starts = [place for place, part in enumerate(parts) if part.lstrip("_") in MODULES]
        return ".".join([parts[starts[-1]].lstrip("_"), *parts[starts[-1] + 1 :]] if starts else parts)

    def text(self, node: ast.AST | None) -> str | None:
        """A text that is written out, also behind a name; None for any other expression."""
        if isinstance(node, ast.Name) and node.id in self.values:
            node = self.values[node.id]
        return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None

    def place(self, node: ast.AST, depth: int = 0) -> str:
        """A path as far as it is written out, with UNKNOWN for the rest; from the root where it is too long to judge."""
        if depth > 20:
            return UNKNOWN
        if node not in self._places:
            place = self._place(node, depth)
            self._places[node] = place if len(place) <= _LONGEST else f"/{place[:_LONGEST]}"
        return self._places[node]

    def _place(self, node: ast.AST, depth: int) -> str:
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else UNKNOWN
        if isinstance(node, ast.Name) and (node.id in self.values or node.id == "__file__"):
            return self.place(self.values[node.id], depth + 1) if node.id in self.values else "answer.py"
        if isinstance(node, ast.Attribute) and node.attr == "parent":
            return self._above(node.value, 1, depth)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "parents":
            return self._above(node.value.value, _levels(node.slice), depth)
        if isinstance(node, ast.JoinedStr):
            return "".join(self.place(part, depth + 1) for part in node.values)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
            left, right = self.place(node.left, depth + 1), self.place(node.right, depth + 1)
            return left + right if isinstance(node.op, ast.Add) else posixpath.join(left, right)
        if isinstance(node, ast.Subscript) and self.origin(node.value) == "os.environ":
            return "~" if self.text(node.slice) in _HOME else UNKNOWN
        return self._place_of_call(node, depth) if isinstance(node, ast.Call) else UNKNOWN

    def _above(self, node: ast.AST, levels: int, depth: int) -> str:
        place = self.place(node, depth + 1)
        return place if place == UNKNOWN else posixpath.join(place, *[".."] * levels)

    def _place_of_call(self, node: ast.Call, depth: int) -> str:
        name = self.origin(node.func)
        if name.endswith("Path.home") or (name in ("os.getenv", "os.environ.get") and self.text(node.args[0]) in _HOME):
            return "~"
        if name.endswith("Path.cwd") or name == "os.getcwd":
            return "."
        if name == "os.path.dirname" and node.args:
            return self._above(node.args[0], 1, depth)
        if name in _JOINS | _SAME or name.endswith(".Path"):
            parts = [self.place(part, depth + 1) for part in node.args]
            return posixpath.join(*parts) if parts else "."
        if isinstance(node.func, ast.Attribute) and node.func.attr in _PATH_METHODS:
            return self.place(node.func.value, depth + 1)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "joinpath":
            return posixpath.join(*(self.place(part, depth + 1) for part in (node.func.value, *node.args)))
        return UNKNOWN


def _levels(node: ast.expr) -> int:
    """How many folders up the parent of that number lies; many where only a run knows."""
    return node.value + 1 if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value < 20 else 20
