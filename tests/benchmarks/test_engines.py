"""Work over processes and over dask: all of it comes back, whoever dies."""

import functools
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from ml_agent.benchmarks.engines import Work
from ml_agent.benchmarks.engines.dask import dask_engine
from ml_agent.benchmarks.engines.local import LocalEngine
from tests.processor_time import WAIT
from tests.servers.dask_cluster import dask_cluster


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


def test_one_process() -> None:
    outcomes = list(LocalEngine()(Work(carry_out=square, lost=lost, label=str), range(5)))
    assert sorted(outcomes) == [(0, ""), (1, ""), (4, ""), (9, ""), (16, "")]


def test_a_process_that_dies_costs_its_own_item_only() -> None:
    outcomes = dict(LocalEngine(2)(Work(carry_out=deadly, lost=lost, label=str), range(6)))
    assert outcomes.pop(9) == "the worker process died"
    assert set(outcomes.values()) == {""}
    assert set(outcomes) == {0, 1, 4, 16, 25}


def slow(item: int) -> tuple[int, str]:
    if item == 2:
        time.sleep(600)
    return square(item)


def test_an_item_that_hangs_is_ended_for_its_time() -> None:
    """One process: it is made anew and does the rest."""
    began = time.monotonic()
    work = Work(carry_out=slow, lost=lost, label=str, seconds=2.0)
    outcomes = dict(LocalEngine()(work, range(5)))
    assert outcomes == {0: "", 1: "", 4: "timeout: more than 2 s", 9: "", 16: ""}
    assert time.monotonic() - began < 200


def test_a_worker_that_dies_once_costs_nothing(tmp_path: Path) -> None:
    work = Work(carry_out=functools.partial(killed_once, marks=tmp_path), lost=lost, label=str)
    outcomes = dict(LocalEngine(2)(work, range(25)))
    assert (tmp_path / "killed").exists()
    assert outcomes == {n * n: "" for n in range(25)}


PARENT = """
import time
from ml_agent.benchmarks.engines import Work
from ml_agent.benchmarks.engines.local import LocalEngine
from tests_of_engines import note

if __name__ == "__main__":
    list(LocalEngine(2)(Work(carry_out=note, lost=lambda item, reason: reason, label=str), range(2)))
"""
NOTE = """
import os, pathlib, time

def note(item):
    pathlib.Path(os.environ["NOTES"], str(os.getpid())).touch()
    time.sleep(600)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_its_parent(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "parent.py").write_text(PARENT)
    (tmp_path / "tests_of_engines.py").write_text(NOTE)
    notes = tmp_path / "notes"
    notes.mkdir()
    places = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    parent = subprocess.Popen(
        [sys.executable, str(tmp_path / "parent.py")], env={**os.environ, "PYTHONPATH": places, "NOTES": str(notes)}
    )
    assert _until(lambda: len(list(notes.iterdir())) == 2)
    workers = [int(p.name) for p in notes.iterdir()]
    parent.send_signal(how)
    parent.wait()
    assert _until(lambda: not any(_lives(pid) for pid in workers))


def _until(holds: Callable[[], bool], seconds: float = WAIT) -> bool:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


@pytest.mark.slow
def test_dask_loses_nothing_with_a_worker(tmp_path: Path) -> None:
    work = Work(carry_out=functools.partial(killed_once, marks=tmp_path), lost=lost, label=str)
    with dask_cluster() as address, dask_engine(address) as engine:
        outcomes = list(engine(work, range(60)))
    assert (tmp_path / "killed").exists()
    assert Counter(outcomes) == Counter((n * n, "") for n in range(60))


@pytest.mark.slow
def test_dask_ends_an_item_for_its_time() -> None:
    began = time.monotonic()
    work = Work(carry_out=slow, lost=lost, label=str, seconds=4.0)
    with dask_cluster() as address, dask_engine(address) as engine:
        outcomes = dict(engine(work, range(5)))
    assert outcomes == {0: "", 1: "", 4: "timeout: more than 4 s", 9: "", 16: ""}
    assert time.monotonic() - began < 200
