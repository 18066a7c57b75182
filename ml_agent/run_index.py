"""Where runs are: those made with `--out` lie anywhere, so each run's folder is noted when it is made."""

from pathlib import Path

from ml_agent.errors import UsageError
from ml_agent.runs import CONFIG, RunFolder, find_run, is_own, list_runs
from ml_agent.settings import Settings

INDEX = "runs.txt"
MOST = 10_000
"""Lines that are looked at, newest last."""


def note_run(settings: Settings, folder: RunFolder) -> None:
    """Remember a run's folder; where the cache cannot be written the run goes on without."""
    path = settings.cache_dir / INDEX
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{folder.path}\n")
    except OSError:
        return  # only the list of runs is poorer for it


def known_runs(settings: Settings) -> list[RunFolder]:
    """All runs that are still there: below the runs folder and elsewhere, oldest first."""
    there = [RunFolder(path) for path in _noted(settings) if (path / CONFIG).is_file()]
    noted = [folder for folder in there if is_own(folder)]
    found = {run.path: run for run in [*list_runs(settings.runs_dir), *noted]}
    return sorted(found.values(), key=lambda run: (run.path / CONFIG).stat().st_mtime)


def known_run(settings: Settings, name: str) -> RunFolder:
    """A run by its folder, its id or a unique beginning of its id, wherever it lies. UsageError where there is none."""
    hits = [run for run in known_runs(settings) if name and run.id.startswith(name)]
    exact = [run for run in hits if run.id == name]
    if len(exact or hits) == 1 and not (Path(name) / CONFIG).exists():
        return (exact or hits)[0]
    if len(hits) > 1 and not (Path(name) / CONFIG).exists():
        raise UsageError(f"run {name!r} is not unique: `ml-agent runs list` shows them")
    return find_run(settings.runs_dir, name)


def _noted(settings: Settings) -> list[Path]:
    path = settings.cache_dir / INDEX
    if not path.is_file():
        return []
    return [Path(line) for line in path.read_text(encoding="utf-8").splitlines()[-MOST:] if line]
