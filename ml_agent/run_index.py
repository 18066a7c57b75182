"""Where runs are: those made with `--out` lie anywhere, so each run's folder is noted when it is made."""

import os
import sys
from pathlib import Path

from ml_agent.errors import UsageError
from ml_agent.runs import CONFIG, RunFolder, find_run, is_own, is_run, list_runs
from ml_agent.settings import Settings
from ml_agent.tools.bounded import open_bytes

INDEX = "runs.txt"
MOST_BYTES = 4 * 1024**2
MOST = 10_000
"""Lines that are looked at, newest last."""


def note_run(settings: Settings, folder: RunFolder) -> None:
    """Remember a run's folder; where the cache cannot be written the run goes on without."""
    path = settings.cache_dir / INDEX
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
        with os.fdopen(handle, "wb") as file:
            file.write(os.fsencode(f"{folder.path}\n"))
    except OSError:
        return  # only the list of runs is poorer for it


def known_runs(settings: Settings) -> list[RunFolder]:
    """All runs that are still there: below the runs folder and elsewhere, oldest first."""
    there = [RunFolder(path) for path in _noted_folders(settings) if is_run(str(path))]
    noted = [folder for folder in there if is_own(folder)]
    found = {run.path: run for run in [*list_runs(settings.runs_dir), *noted]}
    return sorted(found.values(), key=lambda run: (run.path / CONFIG).stat().st_mtime)


def known_run(settings: Settings, name: str) -> RunFolder:
    """A run by its folder, its id or a unique beginning of its id, wherever it lies. UsageError where there is none."""
    hits = [run for run in known_runs(settings) if name and run.id.startswith(name)]
    exact = [run for run in hits if run.id == name]
    if len(exact or hits) == 1 and not is_run(name):
        return (exact or hits)[0]
    if len(hits) > 1 and not is_run(name):
        raise UsageError(f"run {name!r} is not unique: `ml-agent runs list` shows them")
    return find_run(settings.runs_dir, name)


def _noted_folders(settings: Settings) -> list[Path]:
    """The folders that were noted; lines that name none, after damage to the file, count for nothing."""
    try:
        with open_bytes(settings.cache_dir / INDEX, sys.maxsize) as file:
            file.seek(max(file.seek(0, os.SEEK_END) - MOST_BYTES, 0))
            lines = file.read(MOST_BYTES).split(b"\n")[-MOST:]
    except OSError:
        return []
    return [Path(os.fsdecode(line)) for line in lines if line.startswith(b"/") and b"\0" not in line]
