"""Work over processes of this machine."""

import multiprocessing
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from benchmarks.engines import Item, Outcome, Work
from sandbox.cleanup import reap


class LocalEngine:
    """So many processes at once; with one, the work is done in this process."""

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = jobs

    def __call__(self, work: Work[Item, Outcome], items: Sequence[Item]) -> Iterator[Outcome]:
        """Outcomes as they come; a worker that dies costs its own item only.

        A dead process breaks the whole pool, and nobody says which item killed it. No more items than processes are handed out
        at a time, so only those are suspects: each is done again in a pool of its own, and the one that kills again is lost.
        """
        if self.jobs == 1:
            yield from map(work.carry_out, items)
            return
        waiting = deque(items)
        while waiting:
            suspects: list[Item] = []
            yield from self._until_one_dies(work, waiting, suspects)
            if suspects:
                reap()  # the containers of a worker that died keep running
            for item in suspects:
                yield _alone(work, item)

    def _until_one_dies(
        self, work: Work[Item, Outcome], waiting: deque[Item], suspects: list[Item]
    ) -> Iterator[Outcome]:
        with _pool(self.jobs) as pool:
            running: dict[Future[Outcome], Item] = {}
            while running or (waiting and not suspects):
                while waiting and not suspects and len(running) < self.jobs:
                    item = waiting.popleft()
                    try:
                        running[pool.submit(work.carry_out, item)] = item
                    except BrokenProcessPool:  # it died between two items
                        suspects.append(item)
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    item = running.pop(future)
                    if isinstance(future.exception(), BrokenProcessPool):
                        suspects.append(item)
                    else:
                        yield future.result()


def _alone(work: Work[Item, Outcome], item: Item) -> Outcome:
    with _pool(1) as pool:
        try:
            return pool.submit(work.carry_out, item).result()
        except BrokenProcessPool:
            return work.lost(item, "the worker process died")


def _pool(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
