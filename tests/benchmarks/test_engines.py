"""Work over processes and over dask: all of it comes back, whoever dies."""

import functools
import os
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.engines import Work
from benchmarks.engines.dask import dask_engine
from benchmarks.engines.local import LocalEngine
from benchmarks.errors import BenchError


def square(item: int) -> tuple[int, str]:
    return item * item, ""


def lost(item: int, reason: str) -> tuple[int, str]:
    return item * item, reason


def deadly(item: int) -> tuple[int, str]:
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return square(item)


def killed_once(item: int, marks: Path) -> tuple[int, str]:
    """One item kills its worker, the first time only."""
    time.sleep(0.02)
    mark = marks / "killed"
    if item == 20 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return square(item)


@pytest.mark.parametrize("jobs", [1, 2])
def test_processes(jobs: int) -> None:
    outcomes = list(LocalEngine(jobs)(Work(carry_out=square, lost=lost, label=str), range(5)))
    assert sorted(outcomes) == [(0, ""), (1, ""), (4, ""), (9, ""), (16, "")]


def test_a_process_that_dies_costs_its_own_item_only() -> None:
    outcomes = dict(LocalEngine(2)(Work(carry_out=deadly, lost=lost, label=str), range(6)))
    assert outcomes.pop(9) == "the worker process died"
    assert set(outcomes.values()) == {""}
    assert set(outcomes) == {0, 1, 4, 16, 25}


@pytest.mark.slow
def test_dask_loses_nothing_with_a_worker(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    work = Work(carry_out=functools.partial(killed_once, marks=tmp_path), lost=lost, label=str)
    with dask_engine(workers=2) as engine:
        outcomes = list(engine(work, range(60)))
    assert (tmp_path / "killed").exists()
    assert Counter(outcomes) == Counter((n * n, "") for n in range(60))


def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("benchmarks.engines.dask.START_SECONDS", 1.0)
    with pytest.raises(BenchError, match="no dask scheduler"), dask_engine("tcp://127.0.0.1:1"):
        pass
