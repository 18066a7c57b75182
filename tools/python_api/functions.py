"""Parameters and decorators of functions."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ml_agent.tools.python_api.model import Parameter, ParameterKind

_KEEPS_SIGNATURE = frozenset(
    [
        "staticmethod",
        "classmethod",
        "property",
        "cached_property",
        "abstractmethod",
        "lru_cache",
        "cache",
        "wraps",
        "override",
        "no_grad",
        "inference_mode",
        "enable_grad",
        "dataclass",
        "njit",
        "jit",
        "contextmanager",
        "overload",
        "setter",
        "getter",
        "deleter",
    ]
)


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
        dataclass="dataclass" in names,
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
        and _last_name(node) == "dataclass"
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
