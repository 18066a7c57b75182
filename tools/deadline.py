"""A call that is not waited for any longer than allowed."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """What a call gives. TimeoutError where it takes longer: then it is left behind."""
    return begun(call).result(seconds)


def begun(call: Callable[[], T]) -> Future[T]:
    """What a call will give: it is carried out in a thread for which neither an event loop nor the end of the process waits."""
    answer: Future[T] = Future()

    def carry_out() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:  # noqa: BLE001  # raised again where the answer is awaited
            answer.set_exception(error)

    Thread(target=carry_out, name="ml-agent-waiting", daemon=True).start()
    return answer
