"""What the imports of a piece of Python bind, where it uses them, and which names it uses without having them (by pyflakes)."""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

_SKIPPED = frozenset(["ctx", "lineno", "col_offset", "end_lineno", "end_col_offset"])
_IMPORT_ERRORS = frozenset(["ImportError", "ModuleNotFoundError", "Exception", "BaseException"])


class ImportedName(NamedTuple):
    """One name of one import statement."""

    module: str
    """Dotted, as written; "" for `from . import x`."""
    name: str
    """What is taken from the module; "" for a module as a whole, "*" for everything."""
    local: str
    """The name it gets."""
    level: int
    """Leading dots."""
    line: int
    bare: bool = False
    """`import a.b` without `as`: it gives only `a`."""

    @property
    def target(self) -> str:
        """The dotted name that the local name stands for."""
        if self.bare:
            return self.local
        return f"{self.module}.{self.name}" if self.name else self.module


class Chain(NamedTuple):
    """A use of an imported name: `package.module.name`."""

    root: str
    """The local name at its head."""
    rest: tuple[str, ...]
    node: ast.expr

    @property
    def text(self) -> str:
        """As it stands in the source."""
        return ".".join((self.root, *self.rest))


def imported_names(tree: ast.Module) -> list[ImportedName]:
    """All imports in order; those whose failure is caught are left out."""
    return sorted(_imports(tree, guarded=False), key=lambda item: item.line)


def _imports(node: ast.AST, *, guarded: bool) -> Iterator[ImportedName]:
    if isinstance(node, ast.Import) and not guarded:
        for alias in node.names:
            local = alias.asname or alias.name.split(".")[0]
            yield ImportedName(alias.name, "", local, 0, node.lineno, bare=alias.asname is None)
    elif isinstance(node, ast.ImportFrom) and not guarded:
        for alias in node.names:
            yield ImportedName(node.module or "", alias.name, alias.asname or alias.name, node.level, node.lineno)
    for child in ast.iter_child_nodes(node):
        inside = isinstance(node, ast.Try) and child in node.body and any(_catches(one) for one in node.handlers)
        yield from _imports(child, guarded=guarded or inside)


def _catches(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or ast.unparse(kind) in _IMPORT_ERRORS for kind in kinds)


def rebound_names(tree: ast.Module) -> frozenset[str]:
    """Names that anything but an import binds, in any scope: what stands there may be something else."""
    return frozenset(_rebound(tree))


def made_objects(tree: ast.AST) -> dict[str, Chain]:
    """Names that are bound once in all scopes, to the result of a call, and what is called: `net = package.Net(1)`."""
    counts = Counter(_rebound(tree))
    found: dict[str, Chain] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call):
            target, called = node.targets[0], chain_of(node.value.func)
            if isinstance(target, ast.Name) and called is not None and counts[target.id] == 1:
                found[target.id] = called
    return found


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, in no particular order, without the contexts of names."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        for name, value in vars(node).items():
            if value.__class__ is list:
                todo += [item for item in value if isinstance(item, ast.AST)]
            elif name not in _SKIPPED and isinstance(value, ast.AST):
                todo.append(value)


def _rebound(tree: ast.AST) -> Iterator[str]:
    for node in nodes(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name


def chains(tree: ast.Module) -> list[Chain]:
    """The longest attribute chains that are read and begin with a plain name, in order of line."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    found = (chain_of(node) for node in ast.walk(tree) if id(node) not in inner and _is_read(node))
    return sorted((chain for chain in found if chain is not None), key=lambda chain: chain.node.lineno)


def _is_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load)


def chain_of(node: ast.AST) -> Chain | None:
    """The chain that an expression is; None where it is something else."""
    rest: list[str] = []
    head = node
    while isinstance(head, ast.Attribute):
        rest.insert(0, head.attr)
        head = head.value
    if not isinstance(head, ast.Name) or not isinstance(node, ast.expr):
        return None
    return Chain(head.id, tuple(rest), node)


def stored_chains(tree: ast.Module) -> frozenset[str]:
    """Attribute chains that are assigned to: from then on they exist."""
    return frozenset(
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    )


# Names that a piece of Python uses without having them.

if TYPE_CHECKING:
    from pyflakes import messages

_BUILTINS = {
    "display",
    "__file__",
    "__path__",
    "__module__",
    "__qualname__",
    "WindowsError",
    "exit",
    "quit",
}


class Undefined(NamedTuple):
    """A name that nothing binds where it is used."""

    name: str
    line: int
    star: bool = False
    """A star import may bring it."""


def undefined_names(tree: ast.Module) -> tuple[Undefined, ...]:
    """The undefined names of a module by the rules of pyflakes, in order of line; none where its tree is too deep."""
    from pyflakes import checker  # not needed where what is known comes out of the index

    try:
        found = checker.Checker(tree, builtins=_BUILTINS, withDoctest=False).messages
    except RecursionError:
        return ()
    return tuple(sorted(_undefined_names(found), key=lambda item: item.line))


def _undefined_names(found: "list[messages.Message]") -> Iterator[Undefined]:
    from pyflakes import messages

    for message in found:
        if isinstance(message, messages.UndefinedName):
            yield Undefined(str(message.message_args[0]), message.lineno)
        elif isinstance(message, messages.ImportStarUsage):
            yield Undefined(str(message.message_args[0]), message.lineno, star=True)
