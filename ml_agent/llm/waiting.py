"""Waiting for somebody who may never answer, in a way that can be cancelled."""

import time
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

from ml_agent.tools.deadline import begun

T = TypeVar("T")
CheckCancelled = Callable[[], None]
"""Raises where nobody wants to wait any longer."""
_SLICE_SECONDS = 0.2


def never_cancelled() -> None:
    """For whoever waits to the end."""


def wait_for(work: Callable[[], T], check_cancelled: CheckCancelled, until: float | None = None) -> T:
    """What the work returns or raises, or whatever `check_cancelled`, called several times a second, raises before that.

    TimeoutError where it is not done at `until`, a moment of the monotonic clock. The work is then left to itself.
    """
    context = copy_context()
    future = begun(lambda: context.run(work))
    while True:
        try:
            return future.result(_SLICE_SECONDS)
        except TimeoutError:
            if future.done():
                return future.result(0)
            check_cancelled()
            if until is not None and time.monotonic() > until:
                raise
