"""What comparing two answers says."""

from typing import Literal

import msgspec

ReasonClass = Literal[
    "", "wrong entry", "missing", "other value", "unasked", "refused", "not the kind", "no answer", "no reference"
]
"""Why an answer is not the same call; "" where it is. "no reference": the row's own reference cannot be read."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an answer makes the call of the reference."""

    passed: bool
    reason_class: ReasonClass = ""
    detail: str = ""
    """What exactly: the option with both values, the parser's message."""


GOOD = Verdict(passed=True)


def failed(reason: ReasonClass, detail: str) -> Verdict:
    """A verdict against an answer."""
    return Verdict(passed=False, reason_class=reason, detail=detail[:500])
