"""A full disk, a dead worker, a lost cluster member: told by row, and the rest goes on."""

import functools
import json
import os
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.engines.dask import dask_engine
from ml_agent.benchmarks.engines.local import LocalEngine
from ml_agent.benchmarks.predict.respondent import Respondent
from ml_agent.benchmarks.predict.rows import Result
from ml_agent.benchmarks.predict.run import Plan, predict
from ml_agent.benchmarks.predict.unit import Unit
from tests.benchmarks.conftest import fill


def answer(unit: Unit, length: int = 3, seconds: float = 0.0, marks: Path | None = None) -> Result:
    """An answer of so many characters."""
    time.sleep(seconds)
    if marks is not None:
        (marks / f"{unit.label}-{os.getpid()}").touch()
    return Result(github_id=unit.key[0], id=unit.key[1], attempt=unit.attempt, output=("x" * length,))


def deadly(unit: Unit) -> Result:
    """The fourth row ends its process."""
    if unit.key.id == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer(unit)


def tasks(number: int) -> tuple[Task, ...]:
    return tuple(
        Task(github_id=1, id=n, github="https://x/y/sample", path=".", arguments={}, instruction="", oracle="", kind="bash", output="")
        for n in range(number)
    )  # fmt: skip


def plan(folder: Path, out: Path, rows: int, carry_out: object) -> Plan:
    (folder / "repos/sample").mkdir(parents=True, exist_ok=True)
    who = Respondent(subject="s", fingerprint="f", setting="agent", carry_out=carry_out)  # type: ignore[arg-type]
    return Plan(tasks=tasks(rows), repos=folder / "repos", out=out, who=who)


def test_a_full_disk_is_told_by_row(small_disk: Path, tmp_path: Path) -> None:
    made = plan(tmp_path, small_disk / "out.jsonl", 8, functools.partial(answer, length=60_000))
    summary = predict(made, LocalEngine())
    assert summary.unwritten == "" or "No space left on device" in summary.unwritten
    kept = list((small_disk / "out.jsonl.rows/f").glob("*.json"))
    assert summary.missing == len(summary.failed) == 8 - len(kept)
    assert all(line.endswith("its result cannot be kept: No space left on device") for line in summary.failed)
    assert 0 < len(kept) < 8 and all(json.loads(p.read_text())["output"] for p in kept)


def test_rows_that_could_not_be_kept_are_made_when_there_is_room(small_disk: Path, tmp_path: Path) -> None:
    made = plan(tmp_path, small_disk / "out.jsonl", 4, answer)
    (small_disk / "out.jsonl.rows/f").mkdir(parents=True)
    filler = fill(small_disk)
    assert predict(made, LocalEngine()).missing == 4
    filler.unlink()
    summary = predict(made, LocalEngine())
    assert (summary.answered, summary.missing, summary.unwritten) == (4, 0, "")


def test_a_worker_that_dies_costs_its_row_only(tmp_path: Path) -> None:
    summary = predict(plan(tmp_path, tmp_path / "out.jsonl", 12, deadly), LocalEngine(2))
    assert (summary.answered, summary.failed, summary.missing) == (11, ("1-3: the worker process died",), 0)


def workers() -> list[int]:
    """Process numbers of this test's dask workers."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if b"distributed.cli.dask_worker" in words and parent == os.getpid():
            found.append(int(folder.name))
    return found


def busy(worker: int) -> set[int]:
    """A worker and everything below it."""
    found = {worker}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == worker:
            found.add(int(folder.name))
    return found


@pytest.mark.slow
def test_sixty_rows_although_one_of_two_dask_workers_is_killed(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    marks = tmp_path / "marks"
    marks.mkdir()
    made = plan(tmp_path, tmp_path / "out.jsonl", 60, functools.partial(answer, seconds=0.2, marks=marks))
    kept = tmp_path / "out.jsonl.rows/f"
    with dask_engine(workers=2) as engine:

        def watched(work, items):  # type: ignore[no-untyped-def]
            for number, outcome in enumerate(engine(work, items), start=1):
                if number == 20:
                    victims = busy(workers()[0])
                    for pid in sorted(victims, reverse=True):
                        os.kill(pid, signal.SIGKILL)
                yield outcome

        summary = predict(made, watched)
    assert (summary.rows, summary.answered, summary.missing) == (60, 60, 0)
    assert len({mark.name.rpartition("-")[2] for mark in marks.iterdir()}) >= 2, "both workers have worked"
    assert len(list(kept.glob("*.json"))) == 60
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert Counter(line["id"] for line in lines) == Counter(range(60))
