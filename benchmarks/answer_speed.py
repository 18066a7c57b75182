"""How long a first answer without a model takes in a process that has read the repository: `python -m benchmarks.answer_speed --tasks FILE … --repos DIR`.

All rows of a repository are answered twice in one process, the second time is counted. What a request alone makes known is forgotten in
between: its reading by the encoder, and its drafts, of which a navigator remembers a few.
"""

import argparse
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ml_agent.benchmarks.data import Task, load_tasks, repository_folder, visible
from ml_agent.benchmarks.predict.config import Config
from ml_agent.benchmarks.predict.unit import Unit, answer
from ml_agent.encoder.encoder import shipped
from ml_agent.grounded.navigator import REMEMBERED
from ml_agent.reads import read_as_set
from ml_agent.settings import load_settings


class TimedRow(NamedTuple):
    """A row, and how long its answer took."""

    task: Task
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Print rows, the median and what nine of ten stay below, in seconds of wall time, for all rows and by kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="+", required=True, help="files of rows, or `wild`")
    parser.add_argument("--repos", type=Path, required=True, help="folder of repositories")
    options = parser.parse_args(arguments)
    for source in options.tasks:
        found = list(timed(load_tasks(source).tasks, options.repos))
        for kind in ("", *sorted({one.task.kind for one in found})):
            sys.stdout.write(_line(source, kind or "all", [s for task, s in found if kind in {"", task.kind}]))
    return 0


def timed(tasks: Sequence[Task], repos: Path) -> Iterator[TimedRow]:
    """The rows of repositories that are at hand and have more rows than a navigator remembers."""
    config, settings = Config(), load_settings()
    by_repository: dict[Path, list[Task]] = defaultdict(list)
    for task in tasks:
        root = repository_folder(task, repos)
        if root is not None:
            by_repository[root].append(task)
    for root, several in by_repository.items():
        if len(several) <= REMEMBERED:
            continue
        units = [Unit(key=task.key, shown=visible(task, config.setting), root=root) for task in several]
        for unit in units:
            answer(unit, config)
        read_as_set(settings)
        if settings.encoder:
            shipped().read.cache_clear()
        for task, unit in zip(several, units, strict=True):
            yield TimedRow(task, answer(unit, config).usage.seconds)


def _line(source: str, kind: str, seconds: Sequence[float]) -> str:
    if not seconds:
        return f"{source}, {kind}: no rows\n"
    tenth = sorted(seconds)[int(0.9 * len(seconds))]
    return f"{source}, {kind}: {len(seconds)} rows, median {statistics.median(seconds):.3f} s, nine of ten below {tenth:.3f} s\n"


if __name__ == "__main__":
    sys.exit(main())
