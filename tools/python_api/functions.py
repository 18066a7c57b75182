"""Parameters and decorators of functions."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from ml_agent.tools.python_api.model import Parameter, ParameterKind

_KEEPS_SIGNATURE = frozenset(
    [
        "staticmethod",
        "classmethod",
        "property",
        "cached_property",
        "abstractmethod",
        "abstractproperty",
        "lru_cache",
        "cache",
        "wraps",
        "final",
        "override",
        "no_grad",
        "inference_mode",
        "enable_grad",
        "total_ordering",
        "dataclass",
        "unique",
        "runtime_checkable",
        "deprecated",
        "no_type_check",
        "autocast",
        "script",
        "ignore",
        "unused",
        "export",
        "torch_dispatch",
        "njit",
        "jit",
        "contextmanager",
        "asynccontextmanager",
        "overload",
        "setter",
        "getter",
        "deleter",
    ]
)
_FIELD_MAKERS = frozenset(["dataclass"])


class Decorators(NamedTuple):
    """What the decorators of a definition mean for a caller."""

    sure: bool
    """None of them is known to change what a call takes."""
    static: bool
    of_class: bool
    overload: bool
    property: bool
    dataclass: bool


def read_decorators(nodes: list[ast.expr]) -> Decorators:
    """What those decorators mean; one that is not known may do anything."""
    names = {_last_name(node) for node in nodes}
    return Decorators(
        sure=all(name in _KEEPS_SIGNATURE or name.startswith("register") for name in names)
        and not any(_makes_no_init(node) for node in nodes),
        static="staticmethod" in names,
        of_class="classmethod" in names,
        overload="overload" in names,
        property=bool(names & {"property", "cached_property", "setter", "getter", "deleter"}),
        dataclass=bool(names & _FIELD_MAKERS),
    )


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _makes_no_init(node: ast.expr) -> bool:
    """Whether a dataclass decorator is given options; some of them change the constructor."""
    return (
        isinstance(node, ast.Call)
        and _last_name(node) in _FIELD_MAKERS
        and any(keyword.arg in ("init", "kw_only", None) for keyword in node.keywords)
    )


def parameters_of(arguments: ast.arguments, *, skip_first: bool = False) -> tuple[Parameter, ...]:
    """The parameters of a function.

    Args:
        arguments: As the syntax tree has them.
        skip_first: Leave the first one out, which is `self` or `cls`.
    """
    placed = tuple(_positional_parameters(arguments))
    if skip_first and placed and placed[0].kind != "rest":
        placed = placed[1:]
    return placed + tuple(_keyword_parameters(arguments))


def read_parameters(node: ast.FunctionDef | ast.AsyncFunctionDef, *, skip_first: bool = False) -> tuple[Parameter, ...]:
    """The parameters of a function, with what it tests of them."""
    accepted = accepted_texts(node)
    return tuple(
        msgspec.structs.replace(one, accepted=accepted[one.name]) if one.name in accepted else one
        for one in parameters_of(node.args, skip_first=skip_first)
    )


def _positional_parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    placed = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(placed) - len(arguments.defaults)) + list(arguments.defaults)
    for position, (argument, default) in enumerate(zip(placed, defaults, strict=True)):
        yield _parameter(argument, "positional" if position < len(arguments.posonlyargs) else "either", default)
    if arguments.vararg:
        yield _parameter(arguments.vararg, "rest", None)


def _keyword_parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(argument, "keyword", default)
    if arguments.kwarg:
        yield _parameter(arguments.kwarg, "keywords", None)


def _parameter(argument: ast.arg, kind: ParameterKind, default: ast.expr | None) -> Parameter:
    return Parameter(
        name=argument.arg,
        kind=kind,
        default=None if default is None else ast.unparse(default),
        annotation="" if argument.annotation is None else ast.unparse(argument.annotation),
    )


_MOST_STATEMENTS = 80
_MOST_TEXTS = 60


class _Test(NamedTuple):
    """A parameter that must be one of some texts."""

    name: str
    texts: tuple[str, ...]


def accepted_texts(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Mapping[str, tuple[str, ...]]:
    """By parameter: the texts that it must be one of. One that the function itself changes may be given others.

    Args:
        node: the function; its own statements are read, not what stands in branches and loops.
    """
    given = {one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    changed = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    found: dict[str, tuple[str, ...]] = {}
    for statement in node.body[:_MOST_STATEMENTS]:
        for test in _tests(statement):
            if test.name in given - changed and 0 < len(test.texts) <= _MOST_TEXTS:
                found.setdefault(test.name, test.texts)
    return found


def _tests(statement: ast.stmt) -> Iterator[_Test]:
    if isinstance(statement, ast.Assert):
        yield from _from_assertion(statement.test)
    elif isinstance(statement, ast.If) and isinstance(statement.body[0], ast.Raise) and not statement.orelse:
        yield from _from_comparison(statement.test, ast.NotIn)
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return) and statement.value is not None:
        yield from _from_lookup(statement.value)


def _from_assertion(test: ast.expr) -> Iterator[_Test]:
    """Of `a in {...} and b in {...}` each; of `a is None or a in {...}` the texts."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for part in test.values:
            yield from _from_assertion(part)
    elif isinstance(test, ast.BoolOp) and len(test.values) == 2 and _is_none(test.values[0]):
        yield from _from_comparison(test.values[1], ast.In)
    else:
        yield from _from_comparison(test, ast.In)


def _is_none(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is)


def _from_comparison(test: ast.expr, operator: type[ast.cmpop]) -> Iterator[_Test]:
    if (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], operator)
        and isinstance(test.left, ast.Name)
        and isinstance(test.comparators[0], ast.Set | ast.Tuple | ast.List)
    ):
        yield _Test(test.left.id, _texts(test.comparators[0].elts))


def _from_lookup(value: ast.expr) -> Iterator[_Test]:
    """A parameter that is a key of a table: `{"max": a, "mean": b}[pool]`."""
    for node in ast.walk(value):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict) and isinstance(node.slice, ast.Name):
            yield _Test(node.slice.id, _texts(node.value.keys))


def _texts(nodes: list[ast.expr] | list[ast.expr | None]) -> tuple[str, ...]:
    """The texts, where all are."""
    texts = [one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return tuple(dict.fromkeys(texts)) if len(texts) == len(nodes) else ()
