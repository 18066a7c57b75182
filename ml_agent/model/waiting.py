"""Waiting for somebody who may never answer, in a way that can be cancelled."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

from ml_agent.tools.bounded import begun

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


_MAX_STEP = 0.25
"""Seconds between looks at the clock while waiting, so that a shortened wait is noticed."""


class Limiter:
    """Adaptive: a refusal (429) halves what may be under way, each success lets a little more in."""

    def __init__(self, concurrency: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = float(concurrency)
        self._allowed = self._most
        self._under_way = 0
        self._not_before = 0.0
        self._clock = clock
        self._changed = threading.Condition()

    @property
    def allowed(self) -> int:
        """Requests that may be under way at once, now."""
        return max(1, int(self._allowed))

    @contextmanager
    def slot(self, deadline: float | None = None, check_cancelled: CheckCancelled = never_cancelled) -> Iterator[None]:
        """Wait for a place and hold it; TimeoutError when none comes free before `deadline` (of the clock given)."""
        with self._changed:
            while self._under_way >= self.allowed or self._clock() < self._not_before:
                check_cancelled()
                now = self._clock()
                if deadline is not None and now >= deadline:
                    raise TimeoutError("the model's endpoint stayed busy for too long")
                waits = [_MAX_STEP, *([deadline - now] if deadline is not None else [])]
                self._changed.wait(min([*waits, self._not_before - now] if now < self._not_before else waits))
            self._under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def refused(self, wait: float) -> None:
        """The endpoint asked for patience: nobody sends anything for `wait` seconds, and fewer at once after that."""
        with self._changed:
            self._allowed = max(1.0, self._allowed / 2)
            self._not_before = max(self._not_before, self._clock() + wait)

    def succeeded(self) -> None:
        """The endpoint answered."""
        with self._changed:
            self._allowed = min(self._most, self._allowed + 1 / self._allowed)


_LIMITERS: dict[str, Limiter] = {}
_LOCK = threading.Lock()


def limiter_for(base_url: str, concurrency: int) -> Limiter:
    """The limiter that everybody in this process shares for an endpoint."""
    with _LOCK:
        return _LIMITERS.setdefault(base_url, Limiter(concurrency))
