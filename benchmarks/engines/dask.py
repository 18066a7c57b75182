"""Work over the cluster of a dask scheduler.

Workers come and go: what a lost one had is done again elsewhere. With a limit of time each item runs in a process of its own on its worker
(`LocalEngine`), because dask itself cannot end an item that hangs.
"""

import functools
import multiprocessing
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ml_agent.benchmarks.engines import Engine, Item, Outcome, Work
from ml_agent.benchmarks.engines.local import START_SECONDS as COMING_UP_SECONDS
from ml_agent.benchmarks.engines.local import TRIES, LocalEngine
from ml_agent.benchmarks.errors import BenchError
from ml_agent.errors import install_extra
from ml_agent.sandbox.cleanup import reap

RETRIES = 3
"""How often the loss of its worker is forgiven an item; after that it is the item that kills workers."""
START_SECONDS = 60.0
POLL_SECONDS = 0.1
RESULT_SECONDS = 60.0
"""What the way of an outcome from its worker may take."""
SILENT_SECONDS = 120.0
"""How long beyond the time of an item a cluster may bring nothing, for instance while it replaces its workers."""


@contextmanager
def dask_engine(address: str) -> Iterator[Engine]:
    """An engine on the cluster of a scheduler, whose workers need this package, see the same folders and hold the keys themselves.

    Items are delivered at least once: what a lost worker had is done again elsewhere, and whoever keeps the outcomes keeps the
    first of each. BenchError where dask.distributed is not installed or the cluster is not there.
    """
    try:
        client = _library().Client(address, timeout=START_SECONDS, set_as_default=False)
    except OSError as error:
        raise BenchError(f"no dask scheduler answers at {address}: {error}") from error
    with client:
        client.wait_for_workers(1, timeout=START_SECONDS)
        yield DaskEngine(client)


def _library() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise BenchError(f"--engine dask needs the extra `dask`: {install_extra('dask')}") from error
    return distributed


class DaskEngine:
    """A connected cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __call__(self, work: Work[Item, Outcome], items: Sequence[Item]) -> Iterator[Outcome]:
        """Outcomes as they come; with a limit of time each item has a process of its own on its worker, ended at that time."""
        carry_out = work.carry_out if work.seconds is None else functools.partial(_alone, work)
        ours = secrets.token_hex(8)  # a scheduler takes what several clients call alike for one
        futures = {
            self._client.submit(carry_out, i, key=f"ml-agent-{ours}-{work.label(i)}", retries=RETRIES, pure=False): i
            for i in items
        }
        try:
            for future in self._as_completed(futures, work.seconds):
                yield _outcome(work, futures.pop(future), future)
            for item in futures.values():
                yield work.lost(item, "timeout: no worker of the cluster finished anything in time")
        finally:
            self._client.cancel(list(futures))
            reap()  # the containers of a worker that was lost keep running

    def _as_completed(self, futures: Mapping[Any, Item], seconds: float | None) -> Iterator[Any]:
        """Futures as they are done, until all are, or none was for longer than any item may take."""
        longest = float("inf") if seconds is None else TRIES * (seconds + COMING_UP_SECONDS) + SILENT_SECONDS
        coming, left = _library().as_completed(list(futures), loop=self._client.loop), len(futures)
        deadline = time.monotonic() + longest
        while left and time.monotonic() < deadline:
            for future in coming.next_batch(block=False):
                yield future
                left, deadline = left - 1, time.monotonic() + longest
            time.sleep(POLL_SECONDS)


def _outcome(work: Work[Item, Outcome], item: Item, future: Any) -> Outcome:
    """What came of an item that is done; where it is an error, or is lost on the way, the item is."""
    try:
        error = future.exception(timeout=RESULT_SECONDS)
        if error is None:
            outcome: Outcome = future.result(timeout=RESULT_SECONDS)
            return outcome
    except TimeoutError:
        error = TimeoutError("the outcome did not come from its worker")
    return work.lost(item, f"{type(error).__name__}: {error}")


def _alone(work: Work[Item, Outcome], item: Item) -> Outcome:
    """One item in a process of its own, on a worker. Dask's nanny marks workers so that they may have none: that is for
    processes that would be left behind, and this one ends with its parent."""
    settings: Any = getattr(multiprocessing.current_process(), "_config")  # noqa: B009
    settings["daemon"] = False
    (outcome,) = LocalEngine(1)(work, [item])
    return outcome
