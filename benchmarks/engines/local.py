"""Work over processes of this machine.

Each worker is a pool of one process, so that an item which hangs or kills its process costs itself only, and its worker is replaced. Processes
end with their parent, and with them the containers that they started.
"""

import contextlib
import ctypes
import multiprocessing
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from queue import SimpleQueue

from ml_agent.benchmarks.engines import Item, Outcome, Work
from ml_agent.keys import give, held
from ml_agent.sandbox.cleanup import reap
from ml_agent.sandbox.temporary import sweep

START_SECONDS = 120.0
"""What a process may take to come up; that is no part of an item's time."""
TRIES = 2
"""How often an item may take its worker along; after that it is the item that kills."""
DIED = "the worker process died"
PR_SET_PDEATHSIG = 1


class LocalEngine:
    """So many processes at once; with one, and no limit of time, the work is done in this process."""

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = jobs

    def __call__(self, work: Work[Item, Outcome], items: Sequence[Item]) -> Iterator[Outcome]:
        """Outcomes as they come; a worker that dies or is ended for its time costs its own item only."""
        if not items or (self.jobs == 1 and work.seconds is None):
            yield from map(work.carry_out, items)
            return
        workers = [_Worker() for _ in range(min(self.jobs, len(items)))]
        idle: SimpleQueue[_Worker] = SimpleQueue()
        for worker in workers:
            idle.put(worker)

        def do(item: Item) -> Outcome:
            worker = idle.get()
            try:
                return worker.do(work, item)
            finally:
                idle.put(worker)

        threads = ThreadPoolExecutor(len(workers))
        try:
            yield from (one.result() for one in as_completed([threads.submit(do, item) for item in items]))
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.closed = True
                worker.end()
            threads.shutdown()
            sweep()


class _Worker:
    """One process that does one item after the other, and is replaced where it ends."""

    pool: ProcessPoolExecutor | None = None
    number = 0
    closed = False

    def do(self, work: Work[Item, Outcome], item: Item) -> Outcome:
        """What came of an item; one whose process died is begun once more."""
        said = DIED
        for _ in range(TRIES):
            try:
                future = self._up().submit(work.carry_out, item)
                if wait([future], work.seconds).done:
                    return future.result()
                said = f"timeout: more than {work.seconds:g} s"
            except BrokenProcessPool:
                said = DIED
            except Exception as error:  # noqa: BLE001 - a defect costs its own item only
                said = f"{type(error).__name__}: {error}"
            self.end()
            reap()  # the containers of a worker that died keep running
            if said != DIED or self.closed:
                break
        return work.lost(item, said)

    def _up(self) -> ProcessPoolExecutor:
        if self.pool is None:
            keys = held()  # by pipe, not by environment
            self.pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin, (os.getpid(), keys))
            self.number = self.pool.submit(os.getpid).result(START_SECONDS)
        return self.pool

    def end(self) -> None:
        """End the process and what it started in its group."""
        pool, self.pool = self.pool, None
        number, self.number = self.number, 0
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        if number:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(number, signal.SIGKILL)


def _begin(parent: int, keys: Mapping[str, str]) -> None:
    """Begin a worker process: it ends with its parent, however that ends, where the system can see to it (Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends its workers
    give(keys)
