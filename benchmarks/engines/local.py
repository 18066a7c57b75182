"""Work over processes of this machine."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait
from typing import Any, Generic

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
        idle = [_Worker(work) for _ in range(min(self.jobs, len(items)))]
        busy: dict[Any, _Worker[Item, Outcome]] = {}
        try:
            while waiting or busy:
                while waiting and idle:
                    worker = idle.pop()
                    worker.give(*waiting.popleft())
                    busy[worker.pipe] = worker
                left = min(worker.left() for worker in busy.values())
                wait(list(busy), None if left == float("inf") else max(left, 0.0))
                for worker in [one for one in busy.values() if one.pipe.poll() or one.left() <= 0]:
                    del busy[worker.pipe]
                    idle.append(worker)
                    outcomes = worker.outcome()
                    if not outcomes:
                        waiting.appendleft((worker.item, worker.tries + 1))
                    yield from outcomes
        finally:
            with contextlib.ExitStack() as stack:
                stack.callback(sweep)
                for worker in (*idle, *busy.values()):
                    stack.callback(worker.end)


class _Worker(Generic[Item, Outcome]):
    """One process that does one item after the other."""

    item: Item
    tries = 0

    def __init__(self, work: Work[Item, Outcome]) -> None:
        self.work = work
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        packed = pickle.dumps((self.work.carry_out, dict(held())))
        self.process = context.Process(target=serve, args=(theirs, os.getpid(), packed), daemon=False)
        self.process.start()
        theirs.close()
        self.up = False

    def give(self, item: Item, tries: int) -> None:
        """Hand over an item; its time begins once the process is up."""
        if not self.process.is_alive():
            self._restart()
        with contextlib.suppress(OSError, EOFError):  # it died just now: the outcome says so
            if not self.up and self.pipe.poll(START_SECONDS):
                self.up = self.pipe.recv() is None
            self.pipe.send(item)
        self.item, self.tries, self.began = item, tries, time.monotonic()

    def left(self) -> float:
        """Seconds that the item may still take."""
        if self.work.seconds is None:
            return float("inf")
        return self.began + self.work.seconds + self.work.grace - time.monotonic()

    def outcome(self) -> list[Outcome]:
        """What came of the item; nothing where its worker died and the item is to be done again."""
        if not self.pipe.poll():
            self._restart()
            return [self.work.lost(self.item, f"timeout: more than {self.work.seconds:g} s")]
        try:
            return [self.pipe.recv()]
        except (EOFError, OSError):
            self._restart()
            return [self.work.lost(self.item, "the worker process died")] if self.tries == TRIES else []

    def _restart(self) -> None:
        self.end()
        reap()  # the containers of a worker that died keep running
        self._start()

    def end(self) -> None:
        """End the process and what it started in its group; BenchError where the kernel does not let go of it."""
        self.pipe.close()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            number = self.process.pid or 0
            # before it is up it may have no group of its own yet
            os.killpg(number, signal.SIGKILL) if os.getpgid(number) == number else self.process.kill()
        self.process.join(END_SECONDS)
        if self.process.is_alive():
            raise BenchError(
                f"the worker process {self.process.pid} was killed and does not end, because it waits for a disk or a device"
            )
