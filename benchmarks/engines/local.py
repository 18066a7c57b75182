"""Work over processes of this machine."""

import multiprocessing
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

        A dead process breaks the whole pool, and nobody says which item killed it: the unfinished ones are then taken one by
        one, each in a pool of its own, and the one that kills again is lost.
        """
        if self.jobs == 1:
            yield from map(work.carry_out, items)
            return
        remaining = dict(enumerate(items))
        with _pool(self.jobs) as pool:
            waiting: dict[Future[Outcome], int] = {
                pool.submit(work.carry_out, item): n for n, item in remaining.items()
            }
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    number = waiting.pop(future)
                    if not isinstance(future.exception(), BrokenProcessPool):
                        del remaining[number]
                        yield future.result()
        if remaining:
            reap()  # the containers of a worker that died keep running
        for item in remaining.values():
            yield _alone(work, item)


def _alone(work: Work[Item, Outcome], item: Item) -> Outcome:
    with _pool(1) as pool:
        try:
            return pool.submit(work.carry_out, item).result()
        except BrokenProcessPool:
            return work.lost(item, "the worker process died")


def _pool(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
