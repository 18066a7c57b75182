"""The folders that a program adds to those in which Python looks for modules: `sys.path.insert(0, join(dirname(__file__), "..", "lib"))`."""

import ast
import posixpath
import re
from collections.abc import Iterator
from itertools import islice

CHANGES_PATH = re.compile(r"\bsys\.path\b")
_DEEPEST = 12
"""Names and calls within each other that are followed."""
_MOST = 20
"""Places where a file adds folders, and functions and calls that hand them on: programs have a handful."""
_LONGEST = 1_000
"""Characters of a path."""
_SAME = frozenset(
    {"abspath", "realpath", "normpath", "expanduser", "fspath", "str", "Path", "PurePath", "PosixPath", "resolve", "absolute", "as_posix"}
)  # fmt: skip
_JOINS = frozenset({"join", "joinpath"})
_HERE = frozenset({"getcwd", "cwd"})


def added_folders(tree: ast.Module, path: str) -> tuple[str, ...]:
    """The folders, relative to the repository, that a file adds; a relative one is looked for below its own folder and the repository's.

    Args:
        tree: the file's syntax tree.
        path: where it lies.
    """
    reader = _PathReader(tree, path)
    found: dict[str, None] = {}
    for added in islice(reader.added(), _MOST):
        own = reader.folder_of(added)
        if own is None:
            continue
        anchored, text = own
        for base in (".",) if anchored else (posixpath.dirname(path) or ".", "."):
            folder = posixpath.normpath(posixpath.join(base, text))
            if not posixpath.isabs(folder) and folder.partition("/")[0] != posixpath.pardir:
                found["" if folder == "." else folder] = None
    return tuple(found)


class _PathReader:
    """Paths as a file writes them: each is known from the repository's root (anchored), or from wherever the program runs."""

    def __init__(self, tree: ast.Module, path: str) -> None:
        self.path = path
        self.nodes = list(ast.walk(tree))
        self.names: dict[str, ast.expr] = {}
        self._folders: dict[str, tuple[bool, str] | None] = {}
        """By name: what was read of it; one that is being read has none."""
        self.parameters: dict[str, list[tuple[str, int]]] = {}
        """By name: the functions that have such a parameter, and at which place."""
        for node in self.nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self.names.setdefault(node.targets[0].id, node.value)
            elif isinstance(node, ast.FunctionDef):
                for place, parameter in enumerate(node.args.args):
                    self.parameters.setdefault(parameter.arg, []).append((node.name, place))

    def added(self) -> Iterator[ast.expr]:
        """What is added."""
        for node in self.nodes:
            if isinstance(node, ast.AugAssign) and ast.unparse(node.target) == "sys.path":
                yield from getattr(node.value, "elts", ())
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                yield from self._arguments(node, node.func)

    def _arguments(self, call: ast.Call, function: ast.Attribute) -> Iterator[ast.expr]:
        if function.attr not in {"append", "insert", "extend"} or ast.unparse(function.value) != "sys.path":
            return
        last = call.args[-1]
        for one in getattr(last, "elts", [last]):
            if isinstance(one, ast.Name) and one.id not in self.names:
                yield from self._arguments_of_calls(one.id)
            else:
                yield one

    def _arguments_of_calls(self, parameter: str) -> Iterator[ast.expr]:
        """What calls give for a parameter of a function that adds it."""
        for function, place in self.parameters.get(parameter, ())[:_MOST]:
            for node in self.nodes:
                called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
                if called and isinstance(node, ast.Call) and len(node.args) > place:
                    yield node.args[place]

    def folder_of(self, node: ast.AST, depth: int = 0) -> tuple[bool, str] | None:
        """A path, and whether it is anchored; None where it cannot be read."""
        if depth > _DEEPEST:
            return None
        match node:
            case ast.Constant(value=str(text)):
                return False, text
            case ast.Name(id="__file__"):
                return True, self.path
            case ast.Name(id=name) if name in self.names:
                if name not in self._folders:
                    self._folders[name] = None
                    self._folders[name] = self.folder_of(self.names[name], depth + 1)
                return self._folders[name]
            case ast.Attribute(value=inner, attr="parent"):
                return self._below(self.folder_of(inner, depth + 1), "..")
            case ast.Subscript(
                value=ast.Attribute(value=inner, attr="parents"), slice=ast.Constant(value=int(count))
            ) if 0 <= count < _DEEPEST:
                return self._below(self.folder_of(inner, depth + 1), "/".join([".."] * (count + 1)))
            case ast.BinOp(left=left, op=ast.Add() | ast.Div(), right=right):
                return self._together([left, right], depth)
            case ast.Call():
                return self._of_call(node, depth)
        return None

    def _of_call(self, call: ast.Call, depth: int) -> tuple[bool, str] | None:
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        own = [function.value] if isinstance(function, ast.Attribute) and not call.args else []
        if name in _HERE:
            return False, "."
        if name in _SAME and (given := [*own, *call.args[:1]]):
            return self.folder_of(given[0], depth + 1)
        if name == "dirname" and call.args:
            return self._below(self.folder_of(call.args[0], depth + 1), "..")
        if name in _JOINS:
            first = [function.value] if name == "joinpath" and isinstance(function, ast.Attribute) else []
            return self._together([*first, *call.args], depth)
        return None

    def _together(self, parts: list[ast.expr], depth: int) -> tuple[bool, str] | None:
        found = self.folder_of(parts[0], depth + 1) if parts else None
        for part in parts[1:]:
            more = self.folder_of(part, depth + 1)
            if more is None or more[0]:
                return None
            found = self._below(found, more[1].lstrip("/"))
        return found

    def _below(self, folder: tuple[bool, str] | None, more: str) -> tuple[bool, str] | None:
        if folder is None or len(folder[1]) + len(more) > _LONGEST:
            return None
        return folder[0], posixpath.normpath(posixpath.join(folder[1], more))
