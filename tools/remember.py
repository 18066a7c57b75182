"""Results of functions of texts, kept while the texts are short."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar, TypeVarTuple

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")

_LONGEST = 300
"""Characters of a name, a value or a phrase; a longer text is worked out anew each time."""


def remembered(
    entries: int, longest: int = _LONGEST
) -> Callable[[Callable[[*_Arguments], _Result]], Callable[[*_Arguments], _Result]]:
    """`functools.lru_cache` for functions of texts of which none may be long.

    A bound on entries alone leaves the memory unbounded: texts come from repositories, and whoever writes one
    chooses how long they are.

    Args:
        entries: how many results are kept at most.
        longest: characters of a text whose result is kept.

    Returns:
        What decorates a function whose arguments are all texts, given by position.
    """

    def decorate(function: Callable[[*_Arguments], _Result]) -> Callable[[*_Arguments], _Result]:
        kept = lru_cache(maxsize=entries)(function)

        @wraps(function)
        def call(*texts: *_Arguments) -> _Result:
            for text in texts:
                if len(text) > longest:  # type: ignore[arg-type]
                    return function(*texts)
            return kept(*texts)

        return call

    return decorate
