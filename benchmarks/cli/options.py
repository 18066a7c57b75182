"""Options that several commands share, and what is read from them.

A NamedTuple here is a group of options: a command that takes one as a parameter (`ml_agent.cli.tables.grouped`) has all its options.
"""

import functools
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from ml_agent.terminal import Terminal

if TYPE_CHECKING:
    from ml_agent.benchmarks.data import Task
    from ml_agent.benchmarks.engines import Engine

_model = functools.partial(typer.Option, rich_help_panel="The model")
_limit = functools.partial(typer.Option, rich_help_panel="Limits of one row")
_work = functools.partial(typer.Option, rich_help_panel="Getting it done")


def _seconds(value: float | None) -> float | None:
    """Some time, as a limit of a run is: none at all ends every row before it begins."""
    if value is not None and not (0 < value < math.inf):
        raise typer.BadParameter(f"{value:g} is not a time limit: give more than 0 seconds")
    return value


Tasks = Annotated[
    str,
    typer.Option(
        "--tasks",
        help="The rows (tasks): a JSONL or Parquet file, `wild` (108 included rows), or super-dainiu/ml-bench:SPLIT.",
    ),
]
Repos = Annotated[
    Path, typer.Option("--repos", help="Folder with the rows' repositories; `bench repos` fetches them into it.")
]
Sample = Annotated[
    Path | None, typer.Option("--sample", help='JSON file that lists the rows to use, such as ["101-1", "101-2"].')
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Use only the first N rows.")]
Jobs = Annotated[
    int, _work("--jobs", min=0, help="Number of rows processed at the same time; 0 means one for each CPU core.")
]


class Source(NamedTuple):
    """Rows and their repositories."""

    tasks: Tasks
    repos: Repos
    sample: Sample = None
    limit: Limit = None


class RowLimits(NamedTuple):
    """What one row may spend; None where nothing was said."""

    max_tokens: Annotated[
        int | None, _limit("--max-tokens", min=1, help="How many tokens the model may use for one row.")
    ] = None
    max_cost: Annotated[
        float | None, _limit("--max-cost", min=0, help="The most that the model may cost for one row, in USD.")
    ] = None
    max_calls: Annotated[
        int | None, _limit("--max-calls", min=1, help="How many requests may be sent to the model for one row.")
    ] = None
    max_seconds: Annotated[
        float | None, _limit("--max-seconds", callback=_seconds, help="Seconds that one row may take.")
    ] = None


class Work(NamedTuple):
    """How many rows are worked on at once, and where."""

    jobs: Jobs = 1
    engine: Annotated[
        Literal["local", "dask"],
        _work(
            "--engine",
            help="Where rows are worked on: local (processes on this machine) or dask (the workers of a dask cluster).",
        ),
    ] = "local"
    scheduler: Annotated[str, _work("--scheduler", help="Address of the dask scheduler (DASK_SCHEDULER_ADDRESS).")] = ""


class Talk(NamedTuple):
    """With which model, how many answers a row, and how much of the row is told."""

    model: Annotated[str, _model("--model", help="Name of the model at the endpoint.")] = ""
    base_url: Annotated[str, _model("--base-url", help="Address of the model's endpoint (OPENAI_BASE_URL).")] = ""
    attempts: Annotated[
        int,
        typer.Option("--attempts", min=1, help="Number of answers that are requested for each row; only in form L."),
    ] = 1
    setting: Annotated[
        Literal["agent", "repo"],
        typer.Option(
            "--setting",
            help="Form L. agent: the request names the task's folder in the repository; repo: the agent must find the folder.",
        ),
    ] = "agent"


class Rows(NamedTuple):
    """Rows that can be used, and how many cannot."""

    tasks: "list[Task]"
    bad: int


def load_rows(source: str, sample: Path | None, limit: int | None = None) -> Rows:
    """The rows of a source; each that cannot be used is told on stderr. BenchError where there are none at all."""
    import msgspec

    from ml_agent.benchmarks.data import load_tasks
    from ml_agent.benchmarks.errors import BenchError

    try:
        keys = None if sample is None else msgspec.json.decode(sample.read_bytes(), type=list[str])
    except (OSError, ValueError, RecursionError) as error:
        raise BenchError(
            f'the sample {sample} is not a JSON list of rows, such as ["101-1", "101-2"] ({error})'
        ) from error
    loaded = load_tasks(source, keys)
    tell(f"row {problem.row} ({problem.key}): {problem.message}" for problem in loaded.problems)
    return Rows(list(loaded.tasks)[:limit], len(loaded.problems))


def see_repositories(repos: Path, tasks: "Sequence[Task]") -> None:
    """BenchError where there is no such folder, or none of the repositories in it: every row would fail for the same reason."""
    from ml_agent.benchmarks.data import repository_folder
    from ml_agent.benchmarks.errors import BenchError

    if not repos.is_dir():
        raise BenchError(
            f"--repos: there is no folder {repos}; `ml-agent bench repos` fetches the repositories into it"
        )
    if tasks and not any(repository_folder(task, repos) for task in tasks):
        names = ", ".join(list(dict.fromkeys(task.repository for task in tasks))[:3])
        raise BenchError(
            f"--repos: the folder {repos} has none of the rows' repositories ({names}); `ml-agent bench repos` fetches them"
        )


def tell(lines: Iterable[str]) -> None:
    """Write lines to stderr as they are."""
    console = Terminal(stderr=True)
    for line in lines:
        console.say(line)


@contextmanager
def engine_of(work: Work) -> "Iterator[Engine]":
    """The engine that was chosen; containers that a killed bench left are removed, as they would go on computing beside this one.

    BenchError where a cluster cannot be had.
    """
    from ml_agent.benchmarks.engines.local import LocalEngine
    from ml_agent.sandbox.cleanup import reap

    reap()
    if work.engine == "local":
        yield LocalEngine(work.jobs or os.cpu_count() or 1)
        return
    from ml_agent.benchmarks.engines.dask import dask_engine

    address = work.scheduler or os.environ.get("DASK_SCHEDULER_ADDRESS", "")
    if not address:
        raise typer.BadParameter("the engine dask needs a scheduler's address", param_hint="--scheduler")
    with dask_engine(address) as engine:
        yield engine
