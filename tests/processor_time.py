"""What something may cost in processor time, on a slow or busy machine as well as on a fast one.

Limits hold for the machine on which `_REFERENCE` was measured. Where one is not kept, the same work is done again and compared with what
this machine needs for a fixed piece of work in the same moment: what is slow by its nature stays slow, a slow moment passes.
"""

import re
import time
from collections.abc import Callable
from typing import TypeVar

Given = TypeVar("Given")

WAIT = 120.0
"""Seconds of the clock to wait for what comes at once on a quiet machine: they cost nothing where all goes well."""
TRIES = 3
_REFERENCE = 0.011
"""Processor seconds of the fixed work."""
_PAIR = re.compile(r"(\w+) *= *(\w+)")


def within(seconds: float, action: Callable[[], Given]) -> Given:
    """What the action gives, which takes at most so many processor seconds; it is done again where it took more.

    Raises AssertionError where also the least of several tries took longer, a slower machine taken into account.
    """
    least, slower = float("inf"), 1.0
    for _ in range(TRIES):
        began = time.process_time()
        given = action()
        least = min(least, time.process_time() - began)
        if least >= seconds:
            slower = max(slower, slowness())
        if least < seconds * slower:
            return given
    raise AssertionError(f"it takes {least:.2f} s, not {seconds} s, on a machine {slower:.1f} times slower than ours")


def is_within(spent: float, seconds: float) -> bool:
    """The same for processor seconds of something that cannot be done again."""
    return spent < seconds or spent < seconds * slowness()


def slowness() -> float:
    """How many times longer than the reference this machine takes now, 1 where it is faster."""
    began = time.process_time()
    _work()
    return max(1.0, (time.process_time() - began) / _REFERENCE)


def _work() -> int:
    """Plain Python and regular expressions, as what is measured is made of."""
    found = sum(len(str(number)) ^ number for number in range(60_000))
    return found + sum(match.end() for match in _PAIR.finditer("alpha = beta; " * 12_000))
