"""bashlex, kept from running for ever."""

import functools
from typing import Any

import bashlex
import bashlex.errors
import bashlex.subst


def bash_trees(text: str) -> list[Any]:
    """The syntax trees of bash text. Raises what bashlex raises: ParsingError and many others."""
    _mend()
    return list(bashlex.parse(text))


@functools.cache
def _mend() -> None:
    """Make bashlex refuse a `${` that nothing closes (`echo '${ a'`).

    It takes the place of the brace, -1, for the end, begins the word anew and fills the memory.
    """
    expand = bashlex.subst._paramexpand

    def forward(parser: Any, text: str, start: int) -> Any:
        node, end = expand(parser, text, start)
        if end <= start:
            raise bashlex.errors.ParsingError("bad substitution: no closing brace", text, start)
        return node, end

    bashlex.subst._paramexpand = forward
