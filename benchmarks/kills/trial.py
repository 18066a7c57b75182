"""One kill: begin, kill at a moment, go on, compare."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from ml_agent.benchmarks.kills.errands import Errand, ErrandFolder
from ml_agent.benchmarks.kills.left import MARK, control_groups, half_files, of_engine, processes

LONGEST = 300.0
"""Seconds that one command may take."""
PATIENCE = 10.0
"""Seconds that children have to end after their parent was killed."""
_SETTINGS = ("ML_AGENT_", "OPENAI_", "GITHUB_", "GH_")
TRIES = 20
"""How often a moment is drawn before a command ends sooner than it can be killed."""


class UndisturbedRun(msgspec.Struct, frozen=True, kw_only=True):
    """An undisturbed run."""

    outcome: Any
    seconds: float
    code: int


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a kill."""

    errand: str
    number: int
    moment: float
    """Seconds after the start."""
    wrong: tuple[str, ...]
    """What was not as it should be; empty where the kill was survived."""


def undisturbed(errand: Errand, place: ErrandFolder, folder: Path) -> UndisturbedRun:
    """Do the errand without a kill. RuntimeError where that fails: then there is nothing to compare with."""
    out = _make_folders(folder)
    began = time.monotonic()
    done = _finish(errand.begin(place, out), folder, "whole")
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{errand.name} fails by itself: {done.stderr[-500:]}")
    return UndisturbedRun(outcome=errand.outcome(out), seconds=time.monotonic() - began, code=done.returncode)


def kill(errand: Errand, place: ErrandFolder, whole: UndisturbedRun, folder: Path, number: int, seed: int) -> Trial:
    """One trial; the moment is drawn from the undisturbed run's length, and drawn again where the command ended before."""
    chance = Random(f"{seed} {errand.name} {number}")
    latest = whole.seconds
    for attempt in range(TRIES):
        work = folder / f"{attempt}"
        out = _make_folders(work)
        name = f"{errand.name.replace(' ', '-')}-{number}-{attempt}-{os.getpid()}"
        pids: set[int] = set()
        if errand.prepare is not None:
            _cut(errand.prepare(place, out), work, name, chance.uniform(0.3, 0.9) * whole.seconds, pids)
        moment = chance.uniform(0.0, latest)
        if _cut(errand.begin(place, out), work, name, moment, pids):
            wrong = _gone_on(errand, place, whole, work, name, pids)
            return Trial(errand=errand.name, number=number, moment=round(moment, 3), wrong=tuple(wrong))
        latest *= 0.8
    return Trial(errand=errand.name, number=number, moment=0.0, wrong=("it could not be killed in time",))


def _gone_on(
    errand: Errand, place: ErrandFolder, whole: UndisturbedRun, work: Path, name: str, pids: set[int]
) -> list[str]:
    """Go on after the kill and say what is not as it should be."""
    out = work / "out"
    wrong = [f"an orphan of the kill: {line[:120]}" for line in _orphans(name)]
    done = _finish(errand.go_on(place, out), work, name, pids)
    if done.returncode != whole.code:
        wrong.append(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    try:
        outcome = errand.outcome(out)
    except (OSError, ValueError, LookupError) as error:
        wrong.append(f"no outcome: {type(error).__name__}: {error}")
    else:
        if outcome != whole.outcome:
            wrong.append(f"another outcome: {_difference(whole.outcome, outcome)}")
    wrong += half_files(work)
    wrong += [f"left among temporary files: {path.name}" for path in (work / "tmp").iterdir()]
    wrong += [f"still running: {line[:120]}" for line in processes(name, place.mark)]
    return wrong + of_engine(pids) + [f"control group {path}" for path in control_groups(pids)]


def _orphans(name: str) -> list[str]:
    """Processes of this machine that outlive their killed parent."""
    until = time.monotonic() + PATIENCE
    while (found := processes(name, "no mark")) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def _cut(words: Sequence[str], work: Path, name: str, seconds: float, pids: set[int]) -> bool:
    """Start a command and kill it; False where it ended before."""
    with (work / "said").open("ab") as said:
        process = subprocess.Popen(
            _command(words), stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=_environment(work, name), cwd=work
        )
        pids.add(process.pid)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        return process.wait(LONGEST) == -signal.SIGKILL


def _finish(
    words: Sequence[str], work: Path, name: str, pids: set[int] | None = None
) -> "subprocess.CompletedProcess[str]":
    process = subprocess.Popen(
        _command(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=_environment(work, name), cwd=work,
    )  # fmt: skip
    if pids is not None:
        pids.add(process.pid)
    try:
        out, err = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate(timeout=LONGEST)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "ml_agent", *words]


def _environment(work: Path, name: str) -> Mapping[str, str]:
    """Caches, temporary files and runs of the trial's own, so that all that it leaves is found."""
    own = {"ML_AGENT_CACHE_DIR": work / "cache", "TMPDIR": work / "tmp", "ML_AGENT_RUNS_DIR": work / "runs"}
    plain = {key: value for key, value in os.environ.items() if not key.startswith(_SETTINGS)}
    return {**plain, **{key: str(path) for key, path in own.items()}, MARK: name}


def _make_folders(work: Path) -> Path:
    out = work / "out"
    for folder in (out, work / "tmp"):
        folder.mkdir(parents=True)
    return out


def _difference(whole: Any, found: Any) -> str:
    return f"{str(whole)[:400]} and now {str(found)[:400]}"
