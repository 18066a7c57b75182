"""Durations in the unit that a program counts in: "4 seconds" is 4000 where a help text says milliseconds."""

import re
from decimal import Decimal

from ml_agent.values.numbers import number, plain_number

_UNITS = {
    "ms": "0.001", "msec": "0.001", "millisecond": "0.001", "s": "1", "sec": "1", "second": "1", "min": "60", "minute": "60",
    "h": "3600", "hr": "3600", "hour": "3600",
}  # fmt: skip
_MOST_DIGITS = 20
"""Before or behind the point: what has more is no duration."""
_BEHIND = re.compile(r"[\s-]?(?P<unit>ms|msec|milliseconds?|s|secs?|seconds?|min|minutes?|h|hrs?|hours?)\b(?![/.-])")
_NAMED = re.compile(r"(?<![a-z])(?P<unit>ms|msec|milliseconds?|secs?|seconds?|minutes?|hours?)(?![a-z])")


def seconds_behind(text: str, end: int) -> float:
    """The unit of time that stands behind a number, in seconds; 0 where none does."""
    match = _BEHIND.match(text, end)
    return float(_unit(match["unit"])) if match is not None else 0.0


def in_the_units_of(description: str, value: str, seconds: float, whole: bool) -> str:
    """A duration as an option counts it, where its name or its help names one unit of time; else as it was said.

    Args:
        description: name and help of the option.
        value: the number that was said.
        seconds: its unit.
        whole: whether the option takes whole numbers only.
    """
    named = {_unit(match["unit"]) for match in _NAMED.finditer(description.lower())}
    amount = number(value)
    if not seconds or amount is None or len(named) != 1 or not -_MOST_DIGITS <= amount.adjusted() <= _MOST_DIGITS:
        return value
    (unit,) = named
    said = Decimal(str(seconds))
    counted = amount * said / unit
    return (
        value
        if unit == said or (whole and counted != counted.to_integral_value())
        else plain_number(counted.normalize())
    )


def _unit(word: str) -> Decimal:
    return Decimal(_UNITS.get(word) or _UNITS[word.removesuffix("s")])
