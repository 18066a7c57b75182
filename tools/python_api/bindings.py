"""What the imports of a piece of Python bind, and where it uses them."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ml_agent.tools.python_api.walk import nodes, own_nodes, own_statements

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


class CreatedObject(NamedTuple):
    """How an object came about: `Net(1).eval().to("cpu")`."""

    maker: Chain
    """What was called first."""
    through: frozenset[str]
    """The methods that were called on the way and that are taken to give the object back."""


FLUENT = frozenset(
    ["eval", "train", "to", "cpu", "cuda", "half", "float", "double", "bfloat16", "requires_grad_", "share_memory"]
)
"""Methods of torch.nn.Module that give the module back."""


def made_objects(tree: ast.AST) -> dict[str, CreatedObject]:
    """Names that are bound once in all scopes, to the result of a call, and how it is made: `net = package.Net(1)`.

    `net = net.eval()` counts as no binding.
    """
    assignments = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and len(node.targets) == 1]
    again = [node for node in assignments if _returns_itself(node)]
    counts = binding_counts(tree) - Counter(ast.unparse(node.targets[0]) for node in again)
    later = {ast.unparse(node.targets[0]): _steps(node.value)[1] for node in again}
    found: dict[str, CreatedObject] = {}
    for node in assignments:
        first, through = _steps(node.value)
        called = chain_of(first.func) if isinstance(first, ast.Call) and node not in again else None
        target = node.targets[0]
        if isinstance(target, ast.Name) and called is not None and counts[target.id] == 1:
            found[target.id] = CreatedObject(called, through | later.get(target.id, frozenset()))
    return found


def _returns_itself(node: ast.Assign) -> bool:
    first, through = _steps(node.value)
    return isinstance(first, ast.Name) and bool(through) and ast.unparse(node.targets[0]) == first.id


def _steps(value: ast.expr) -> tuple[ast.expr, frozenset[str]]:
    """What an expression begins with, and the fluent methods that are called on it."""
    through = set()
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in FLUENT:
        through.add(value.func.attr)
        value = value.func.value
    return value, frozenset(through)


SELF = "self"
"""What a method gives whose every return is the object itself."""


def returned(node: ast.FunctionDef | ast.AsyncFunctionDef, *, method: bool = False) -> str:
    """What a function gives: SELF, its annotation where that is a plain name, or the one thing whose results it returns."""
    if isinstance(node, ast.AsyncFunctionDef):
        return ""
    own = list(own_statements(node.body))
    values = [item.value for item in own if isinstance(item, ast.Return)]
    if method and values and _are_self(values, node) and _never_falls_through(node.body):
        return SELF
    if node.returns is not None:
        chain = chain_of(node.returns)
        return chain.text if chain is not None else ""
    if not values or not all(isinstance(value, (ast.Call, ast.Name)) for value in values):
        return ""
    if any(isinstance(item, (ast.Yield, ast.YieldFrom)) for item in own_nodes(node.body)):
        return ""
    found = {_result_of(value, own, node) for value in values}
    return found.pop() if len(found) == 1 else ""


def gives_own_class(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a class method says that it gives an object of the class: `-> Self`, or `-> T` with `cls: type[T]`."""
    first = next(iter((*node.args.posonlyargs, *node.args.args)), None)
    if isinstance(node, ast.AsyncFunctionDef) or node.returns is None or first is None:
        return False
    given = ast.unparse(node.returns).strip("'")
    of = "" if first.annotation is None else ast.unparse(first.annotation).strip("'").rpartition("type[")[2]
    return given.rpartition(".")[2] == "Self" or of.rpartition("Type[")[2] == f"{given}]"


def _are_self(values: Sequence[ast.expr | None], node: ast.FunctionDef) -> bool:
    """Whether all returned values are the first parameter, which nothing binds again, of a function that yields nothing."""
    first = next((one.arg for one in (*node.args.posonlyargs, *node.args.args)), "")
    parts = list(own_nodes(node.body))
    yields = any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in parts)
    return (
        not yields
        and binding_counts(node)[first] == 1
        and all(isinstance(value, ast.Name) and value.id == first for value in values)
    )


def _never_falls_through(body: Sequence[ast.stmt]) -> bool:
    """Whether a body surely ends with a return or an error, and so never gives None."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _never_falls_through(last.body) and _never_falls_through(last.orelse)
    if isinstance(last, ast.With):
        return _never_falls_through(last.body)
    return isinstance(last, ast.Return | ast.Raise)


def _result_of(value: ast.expr | None, own: list[ast.AST], function: ast.FunctionDef) -> str:
    """What is called for a returned value, at once or where its name is bound; "" where that cannot be told."""
    if isinstance(value, ast.Call):
        called = chain_of(value.func)
        return called.text if called is not None else ""
    if not isinstance(value, ast.Name) or not any(_binds(item, value.id) for item in own):
        return ""
    made = made_objects(function).get(value.id)
    return made.maker.text if made is not None and not made.through else ""


def _binds(node: ast.AST, name: str) -> bool:
    """A quick look at whether a statement binds the name to the result of a call."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    return isinstance(node.targets[0], ast.Name) and node.targets[0].id == name


def binding_counts(tree: ast.AST) -> Counter[str]:
    """How often each name is bound by anything but an import, in any scope."""
    return Counter(_rebound(tree))


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
