"""Whether a value consists of constants, and whether it is small: a program may put one list or tuple into another many times over.

What has sixty levels of two is made in a moment, and takes longer than anybody lives to be compared, hashed or written out.
"""

from collections.abc import Callable
from typing import Any

CONSTANTS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
CONTAINERS = (list, tuple, set, frozenset, dict)
_DEEPEST = 21
_ITEMS = 20_000
"""In a value, each as often as it is met."""
_LETTERS = 1_000_000
"""Of all texts in a value."""


def is_known(value: Any) -> bool:
    """Whether a value consists of constants only, few enough to be worked with."""
    return isinstance(value, CONSTANTS) or _is_small(value, lambda part: isinstance(part, CONSTANTS))


def may_be_key(value: Any) -> bool:
    """Whether a dict or a set may take a value: a tuple is hashed part by part, each as often as it is met."""
    return not isinstance(value, tuple) or _is_small(value, lambda part: True)


def _is_small(value: Any, fits: Callable[[Any], bool]) -> bool:
    """Whether the parts of a value are few, not too deep, and all such as `fits` says."""
    level, items, letters = [value], _ITEMS, _LETTERS
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for part in level:
            if not isinstance(part, CONTAINERS):
                letters -= len(part) if isinstance(part, (str, bytes)) else 0
                if letters < 0 or not fits(part):
                    return False
                continue
            items -= len(part)
            if items < 0:
                return False
            below += [*part.keys(), *part.values()] if isinstance(part, dict) else part
        if not below:
            return True
        level = below
    return False
