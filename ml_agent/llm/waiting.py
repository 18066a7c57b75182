"""Waiting for somebody who may never answer, in a way that can be cancelled."""

from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
CheckCancelled = Callable[[], None]
"""Raises where nobody wants to wait any longer."""
_SLICE_SECONDS = 0.2


def never_cancelled() -> None:
    """For whoever waits to the end."""


def wait_for(work: Callable[[], T], check_cancelled: CheckCancelled) -> T:
    """What the work returns or raises, or whatever `check_cancelled`, called several times a second, raises before that.

    The work is then left to itself, in a thread that keeps neither an event loop nor the interpreter from ending.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            future.set_exception(error)

    Thread(target=copy_context().run, args=(run,), name="ml-agent-waiting", daemon=True).start()
    while True:
        try:
            return future.result(_SLICE_SECONDS)
        except TimeoutError:
            if future.done():
                return future.result(0)
            check_cancelled()
