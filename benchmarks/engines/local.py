"""Work over processes of this machine."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Generic

from ml_agent.benchmarks.engines import Item, Outcome, Work
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.worker_process import serve
from ml_agent.keys import held
from ml_agent.sandbox.cleanup import reap
from ml_agent.sandbox.temporary import sweep

START_SECONDS = 120.0
"""What a process may take to come up; that is no part of an item's time."""
END_SECONDS = 60.0
"""What a killed process may take to be gone."""
TRIES = 2
"""How often an item may take its worker along; after that it is the item that kills."""


class LocalEngine:
    """So many processes at once; with one, and no limit of time, the work is done in this process."""

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = jobs

    def __call__(self, work: Work[Item, Outcome], items: Sequence[Item]) -> Iterator[Outcome]:
        """Outcomes as they come; a worker that dies or is ended for its time costs its own item only."""
        if self.jobs == 1 and work.seconds is None:
            yield from map(work.carry_out, items)
            return
        waiting = deque((item, 1) for item in items)
        workers = [_Worker(work) for _ in range(min(self.jobs, len(items)))]
        try:
            while waiting or any(w.item is not None for w in workers):
                for worker in workers:
                    if waiting and worker.item is None:
                        worker.give(*waiting.popleft())
                for worker in _ready(workers):
                    if worker.came_up():
                        continue
                    outcome = worker.outcome()
                    if outcome is None:
                        waiting.appendleft(worker.again())
                    else:
                        yield outcome
        finally:
            with contextlib.ExitStack() as stack:
                stack.callback(sweep)
                for worker in workers:
                    stack.callback(worker.end)


def _ready(workers: "Sequence[_Worker[Item, Outcome]]") -> "list[_Worker[Item, Outcome]]":
    """The workers that have an outcome, died, or had their time; waits until there is one."""
    busy = {w.pipe: w for w in workers if w.item is not None}
    left = min((w.left() for w in busy.values()), default=0.0)
    found = [
        busy[p] for p in wait(list(busy), None if left == float("inf") else max(left, 0.0)) if isinstance(p, Connection)
    ]
    return found or [w for w in busy.values() if w.left() <= 0]


class _Worker(Generic[Item, Outcome]):
    """One process that does one item after the other."""

    def __init__(self, work: Work[Item, Outcome]) -> None:
        self.work = work
        self.item: Item | None = None
        self.tries = 0
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        packed = pickle.dumps((self.work.carry_out, dict(held())))
        self.process = context.Process(target=serve, args=(theirs, os.getpid(), packed), daemon=False)
        self.process.start()
        theirs.close()
        self.ready = False

    def give(self, item: Item, tries: int) -> None:
        """Hand over an item."""
        if not self.process.is_alive():
            self.end()
            self._start()
        self.item, self.tries, self.began = item, tries, time.monotonic()
        with contextlib.suppress(OSError):  # it died just now: its outcome says so
            self.pipe.send(item)

    def left(self) -> float:
        """Seconds that the item may still take; before the process has come up, that it may take for that."""
        if self.work.seconds is None:
            return float("inf")
        limit = self.work.seconds + self.work.grace if self.ready else START_SECONDS
        return self.began + limit - time.monotonic()

    def came_up(self) -> bool:
        """Take note that the process is up, where that is what it says; the item's time begins then."""
        if self.ready or not self.pipe.poll():
            return False
        try:
            self.pipe.recv()
        except (EOFError, OSError):
            return False
        self.ready, self.began = True, time.monotonic()
        return True

    def outcome(self) -> Outcome | None:
        """What came of the item; None where its worker died and the item is to be done again."""
        assert self.item is not None
        item = self.item
        if self.pipe.poll():
            try:
                made: Outcome = self.pipe.recv()
            except (EOFError, OSError):
                return self._restart_after_death(item)
            self.item = None
            return made
        self._restart()
        self.item = None
        return self.work.lost(item, f"timeout: more than {self.work.seconds:g} s")

    def _restart_after_death(self, item: Item) -> Outcome | None:
        self._restart()
        if self.tries < TRIES:
            return None
        self.item = None
        return self.work.lost(item, "the worker process died")

    def again(self) -> tuple[Item, int]:
        """The item whose worker died, and the number of its next try."""
        assert self.item is not None
        item, self.item = self.item, None
        return item, self.tries + 1

    def _restart(self) -> None:
        self.end()
        reap()  # the containers of a worker that died keep running
        self._start()

    def end(self) -> None:
        """End the process and what it started in its group; BenchError where the kernel does not let go of it."""
        self.pipe.close()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid or 0, signal.SIGKILL) if self._leads() else self.process.kill()
        self.process.join(END_SECONDS)
        if self.process.is_alive():
            raise BenchError(
                f"worker process {self.process.pid} was killed and does not end: it waits for a disk or a device"
            )

    def _leads(self) -> bool:
        """Whether the process has a group of its own already."""
        try:
            return os.getpgid(self.process.pid or 0) == self.process.pid
        except ProcessLookupError:
            return False
