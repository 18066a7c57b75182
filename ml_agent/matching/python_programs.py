"""Python code as calls of the repository's callables: which they are, what each is given, and what it makes."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ml_agent.matching.python_library import ApiCallable, Library
from ml_agent.tools.python_api.bindings import chain_of, imported_names
from ml_agent.tools.python_api.model import ApiObject
from ml_agent.tools.python_source import parse_python

_MAKERS = ("from_", "load", "create", "build", "get", "make")
_MOST_NODES = 6000


class Call(NamedTuple):
    """One call of what the repository offers."""

    node: ast.Call
    callee: ApiCallable
    arguments: Mapping[str, ast.expr]
    """By parameter: what stands there."""
    variable: str = ""
    """The variable that takes its result."""


class Program(NamedTuple):
    """Code with the calls in it."""

    text: str
    tree: ast.Module
    calls: tuple[Call, ...]


def read_program(text: str, library: Library, folder: str = ".", loose: bool = False) -> Program | None:
    """The calls of a repository's callables in some code; None where it is no Python.

    Args:
        text: the code.
        library: the callables.
        folder: from which it runs.
        loose: whether a name that nothing binds means the one callable of that name, as in a document's block without imports.
    """
    tree = parse_python(text)
    if tree is None:
        return None
    return Program(text, tree, tuple(_Reader(library, tree, folder, loose).calls()))


def quoted(value: str) -> str:
    """A value as a literal of text: in double quotes where nothing of it needs more."""
    return f'"{value}"' if '"' not in value and "\\" not in value and value.isprintable() else repr(value)


class _Reader:
    """Follows names through one piece of code."""

    def __init__(self, library: Library, tree: ast.Module, folder: str, loose: bool) -> None:
        self._library = library
        self._tree = tree
        self._folder = folder
        self._bound = {one.local: one.target for one in imported_names(tree) if not one.level and one.name != "*"}
        self._kinds: dict[str, ApiObject] = {}
        self._loose = loose

    def calls(self) -> Iterator[Call]:
        """Every such call, in the order of the code."""
        for statement in _statements(self._tree.body):
            found = [self._call(node) for node in _own(statement) if isinstance(node, ast.Call)]
            made = [one for one in found if one is not None]
            made.sort(key=lambda one: (one.node.end_lineno or 0, one.node.end_col_offset or 0))
            name = self._note(statement)
            for one in made:
                outer = isinstance(statement, ast.Assign) and _base(statement.value) is _base(one.node)
                yield one._replace(variable=name) if outer else one

    def _note(self, statement: ast.stmt) -> str:
        """Remember of which class the variable is that a statement binds."""
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        if not isinstance(target, ast.Name) or not isinstance(statement, ast.Assign):
            return ""
        kind = self._kind(statement.value)
        if kind is not None:
            self._kinds[target.id] = kind
        else:
            self._kinds.pop(target.id, None)
        return target.id

    def _kind(self, value: ast.expr) -> ApiObject | None:
        """The class of what an expression gives."""
        if isinstance(value, ast.Name):
            return self._kinds.get(value.id)
        if not isinstance(value, ast.Call):
            return None
        called = self._object(value.func)
        if called is None:
            inner = value.func.value if isinstance(value.func, ast.Attribute) else None
            return self._kind(inner) if isinstance(inner, ast.Call) else None
        found = self._library.index.api.instances.class_of(called)
        if found is None and called.kind == "function" and called.name.rpartition(".")[2].startswith(_MAKERS):
            owner = self._library.by_dotted.get(called.name.rpartition(".")[0])
            return owner.object if owner is not None and owner.object.kind == "class" else None
        return found

    def _object(self, func: ast.expr) -> ApiObject | None:
        """What a call calls."""
        api = self._library.index.api
        if isinstance(func, ast.Attribute):
            owner = self._kind(func.value)
            if owner is not None:
                return api.instances.method(owner, func.attr)
        elif isinstance(func, ast.Name) and func.id in self._kinds:
            kind = self._kinds[func.id]
            return api.instances.method(kind, "forward") or api.instances.method(kind, "__call__")
        chain = chain_of(func)
        if chain is None:
            return None
        if chain.root not in self._bound:
            alone = self._library.by_name.get(chain.text, ()) if self._loose else ()
            return alone[0].object if len(alone) == 1 else None
        found = api.resolve(".".join((self._bound[chain.root], *chain.rest)), self._folder)
        return found if isinstance(found, ApiObject) and found.kind in {"class", "function", "method"} else None

    def _call(self, node: ast.Call) -> Call | None:
        called = self._object(node.func)
        if called is None:
            return None
        callee = self._library.by_dotted.get(called.name) or ApiCallable(called, self._library)
        return Call(node, callee, arguments_by_parameter(node, callee))


def arguments_by_parameter(node: ast.Call, callee: ApiCallable) -> dict[str, ast.expr]:
    """By parameter: what a call gives."""
    names = [one.name for one in callee.object.parameters if one.kind in {"positional", "either"}]
    found: dict[str, ast.expr] = {}
    for name, value in zip(names, node.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        found[name] = value
    found.update({one.arg: one.value for one in node.keywords if one.arg is not None})
    return found


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block and of the blocks in it, in order."""
    for statement in body:
        yield statement
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list) and not isinstance(statement, ast.ClassDef):
                yield from _statements([one for one in inner if isinstance(one, ast.stmt)])


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of statements in it."""
    todo: list[ast.AST] = [statement]
    count = 0
    while todo and count < _MOST_NODES:
        node = todo.pop()
        count += 1
        yield node
        todo.extend(one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.stmt))


def _base(node: ast.expr) -> ast.expr:
    """The innermost call of a chain: `X()` of `X().to(device)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
        node = node.func.value
    return node
