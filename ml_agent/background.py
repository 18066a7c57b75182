"""A run in a background thread: its events, its result, and a way to stop it."""

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Generic, TypeVar

from markupsafe import Markup

from ml_agent.api_types import Event, Result
from ml_agent.errors import AgentError
from ml_agent.model.budget import Usage
from ml_agent.state import Plain

_END = None
_LOOK_SECONDS = 0.05
"""How often an async caller looks for events."""
Answer = TypeVar("Answer")


class CancelledRunError(AgentError):
    """The run was cancelled; its folder can be resumed."""

    exit_code = 130


class EventStream:
    """Receives what a run reports and passes it on as events; raises CancelledRunError inside the run once it is cancelled."""

    def __init__(self, emit: Callable[[Event], None], cancelled: threading.Event | None = None) -> None:
        self._emit, self._cancelled = emit, cancelled or threading.Event()
        self._phase = ""

    def on_phase(self, name: str, moment: str, note: str) -> None:
        """A node is entered or left."""
        self._phase = name
        self._emit(Event(kind="phase" if moment == "enter" else "done", phase=name, text=note))
        self._stop_if_cancelled()

    def on_output(self, text: str) -> None:
        """The sandbox printed something, or nothing for a moment."""
        if text:
            self._emit(Event(kind="output", phase=self._phase, text=text))
        self._stop_if_cancelled()

    def watch(self, usage: Callable[[], Usage]) -> None:
        """The result says what was spent."""

    def choose(self, offered: Sequence[Plain]) -> int | None:
        """Nobody is asked: the result offers the answers."""
        return None

    def close(self) -> None:
        """Nothing is held."""

    def _stop_if_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise CancelledRunError("the run was cancelled; `ml-agent resume` continues it")


def unobserved() -> EventStream:
    """For a run that nobody watches."""
    return EventStream(lambda _event: None)


class Work(Generic[Answer]):
    """A run in a background thread. Iterate over it for its events (also with `async for`); `result()` waits for its end."""

    def __init__(self, work: Callable[[EventStream], Answer]) -> None:
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._cancelled = threading.Event()
        self._result: list[Answer] = []
        self._error: Exception | None = None
        self._work = work
        self._thread = threading.Thread(target=self._run, name="ml-agent-run", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[Event]:
        """Yield events until the run has ended."""
        while (event := self._events.get()) is not _END:
            yield event
        self._events.put(_END)  # for whoever iterates again, or beside this

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Yield events until the run has ended, without blocking the event loop."""
        while True:
            try:
                event = self._events.get_nowait()
            except queue.Empty:
                await asyncio.sleep(_LOOK_SECONDS)
                continue
            if event is _END:
                break
            yield event
        self._events.put(_END)

    def cancel(self) -> None:
        """Stop the run. A running program or model request stops at once, anything else at the next event; containers are removed.

        `result()` then raises CancelledRunError.
        """
        self._cancelled.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait at most `timeout` seconds for the run to end; return whether it has ended."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def result(self, timeout: float | None = None) -> Answer:
        """Wait for the run to end and return its result.

        Args:
            timeout: seconds to wait at most; None waits without a limit.

        Raises:
            TimeoutError: the run has not ended by then.
            AgentError: the run ended with an error instead of a result.
        """
        if not self.wait(timeout):
            raise TimeoutError(
                f"the run has not ended within {timeout} s and continues; wait for it again, or call cancel()"
            )
        if self._error is not None:
            raise self._error
        return self._result[0]

    def _run(self) -> None:
        try:
            self._result.append(self._work(EventStream(self._events.put, self._cancelled)))
        except Exception as error:  # noqa: BLE001 - raised again by result(), in the thread of whoever asked
            self._error = error
        finally:
            self._events.put(_END)


class Run(Work[Result]):
    """A run under way. Iterate over it for its events (also with `async for`); `result()` waits for its end."""

    def _repr_html_(self) -> Markup:
        """The display in a notebook: how it stands, and its result once it is there; everything is escaped."""
        if not self.wait(0):
            return Markup("<p>running</p>")
        if self._error is not None:
            return Markup("<p><b>{}</b>: {}</p>").format(type(self._error).__name__, str(self._error))
        return self.result()._repr_html_()
