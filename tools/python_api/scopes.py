"""Names that a piece of Python uses without having them."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

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
