"""Whether the values that a row states stand in an answer: numbers as numbers, and everything else as words of their own."""

import math
import re
from collections.abc import Mapping

from ml_agent.benchmarks.strict.text import Kind

_NUMBER = r"(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_VALUE = re.compile(rf"[-+]?{_NUMBER}")
_IN_TEXT = re.compile(
    rf"(?:(?<![^\s=,:(\['\"])(?P<sign>-))?(?:(?<![A-Za-z0-9.])|(?<=\s-[A-Za-z])){_NUMBER}(?![A-Za-z0-9]|\.\d)"
)
"""A number between other signs than letters, digits and dots (`x-4` is no negative one), or behind a short option (`-b16`)."""
_NEAR = 1e-9


def missing_values(text: str, arguments: Mapping[str, object], kind: Kind = "bash") -> list[str]:
    """The values that an answer does not use.

    The published rule asks for any occurrence, so that `epochs=3` would stand in `--epochs 33`. Case does not count.

    Args:
        text: the answer without what does nothing.
        arguments: the values by name.
        kind: in code a value may also begin a name: `CrissCross` is used by `CrissCrossAttention`.
    """
    numbers = [_read(match.group()) for match in _IN_TEXT.finditer(text)]
    return [value for value in map(str, arguments.values()) if not _is_used(value, text, numbers, kind)]


def _is_used(value: str, text: str, numbers: list[float], kind: Kind) -> bool:
    if _VALUE.fullmatch(value.strip()):
        wanted = _read(value.strip())
        return any(math.isclose(wanted, number, rel_tol=_NEAR) for number in numbers)
    return any(
        _begins(value, text, match.start()) and (kind == "python" or _ends(value, text, match.end()))
        for match in re.finditer(re.escape(value), text, re.IGNORECASE)
    )


def _read(number: str) -> float:
    return float(number.replace("_", ""))


def _begins(value: str, text: str, at: int) -> bool:
    """Whether a word begins at a place: behind no letter or digit, where letters follow digits (`label2city`), or at a hump of `CamelCase`."""
    before, first = text[at - 1 : at] if at else "", value[:1]
    if not (before.isalnum() and first.isalnum()):
        return True
    return (before.isdigit() and first.isalpha()) or (before.islower() and text[at].isupper())


def _ends(value: str, text: str, at: int) -> bool:
    return not (value[-1:].isalnum() and text[at : at + 1].isalnum())
