"""Options that several commands share, and what is read from them."""

import functools
import json
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
_place = functools.partial(typer.Option, rich_help_panel="Where agents work")


def _seconds(value: float | None) -> float | None:
    """Some time, as a limit of a run is: none at all ends every row before it begins."""
    if value is not None and not (0 < value < math.inf):
        raise typer.BadParameter(f"{value:g} is not a time limit: give more than 0 seconds")
    return value


Tasks = Annotated[
    str,
    typer.Option(
        "--tasks",
        help="Rows: a JSONL or Parquet file, `wild` (rows that come with the program), or super-dainiu/ml-bench:SPLIT.",
    ),
]
Repos = Annotated[Path, typer.Option("--repos", help="Folder of the repositories; `bench repos` fills it.")]
Sample = Annotated[
    Path | None, typer.Option("--sample", help='JSON list of the rows to use, such as ["101-1", "101-2"].')
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Use only the first N rows.")]
Model = Annotated[str, _model("--model", help="Model name at the endpoint.")]
BaseUrl = Annotated[str, _model("--base-url", help="Address of the model's endpoint (OPENAI_BASE_URL).")]
ReplyTokens = Annotated[int, _limit("--reply-tokens", min=1, help="Limit of tokens in one reply.")]
MaxTokens = Annotated[int | None, _limit("--max-tokens", min=1, help="Limit of tokens for one row.")]
MaxCost = Annotated[float | None, _limit("--max-cost", min=0, help="Limit in USD for one row.")]
MaxCalls = Annotated[int | None, _limit("--max-calls", min=1, help="Limit of requests to the model for one row.")]
MaxSeconds = Annotated[
    float | None, _limit("--max-seconds", callback=_seconds, help="Time limit of one row in seconds.")
]
Jobs = Annotated[int, _work("--jobs", min=0, help="Number of parallel rows; 0 means one for each processor.")]
EngineName = Annotated[
    Literal["local", "dask"], _work("--engine", help="local: processes on this machine; dask: dask.distributed.")
]
Scheduler = Annotated[
    str,
    _work(
        "--scheduler",
        help="Address of a dask scheduler (DASK_SCHEDULER_ADDRESS); default: a local cluster is started.",
    ),
]
RetryFailed = Annotated[bool, _work("--retry-failed", help="Rerun the rows that have no answer.")]
Home = Annotated[
    Path | None, typer.Option("--home", help="Folder in which agents are installed; default: in the cache.")
]
Folder = Annotated[Path, typer.Option("--out", help="Folder for results; a second call continues.")]
Predictions = Annotated[
    Path, typer.Option("--out", help="JSONL file of predictions to write; a second call continues.")
]
SandboxName = Annotated[
    Literal["auto", "docker", "local"], _place("--sandbox", help="Sandbox for the agents: auto, docker or local.")
]
Unisolated = Annotated[bool, _place("--unisolated", help="Allow running agents without isolation.")]
Image = Annotated[str, _place("--image", help="Docker image; default: the project's own.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


class Source(NamedTuple):
    """Rows and their repositories."""

    tasks: Tasks
    repos: Repos
    sample: Sample = None
    limit: Limit = None


class RowLimits(NamedTuple):
    """What one row may spend; None where nothing was said."""

    max_tokens: MaxTokens = None
    max_cost: MaxCost = None
    max_calls: MaxCalls = None
    max_seconds: MaxSeconds = None


class Work(NamedTuple):
    """How many rows are worked on at once, where, and which of them again."""

    jobs: Jobs = 1
    engine: EngineName = "local"
    scheduler: Scheduler = ""
    retry_failed: RetryFailed = False


class ModelChoice(NamedTuple):
    """Which model an agent talks with."""

    model: Model = ""
    base_url: BaseUrl = ""
    reply_tokens: ReplyTokens = 4096


class Rows(NamedTuple):
    """Rows that can be used, and how many cannot."""

    tasks: "list[Task]"
    bad: int


def load_rows(source: str, sample: Path | None, limit: int | None = None) -> Rows:
    """The rows of a source; each that cannot be used is told on stderr. BenchError where there are none at all."""
    from ml_agent.benchmarks.data import load_tasks
    from ml_agent.benchmarks.errors import BenchError

    keys = None
    if sample is not None:
        try:
            listed = json.loads(sample.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise BenchError(f"{sample}: not a JSON list of rows ({error})") from error
        if not isinstance(listed, list) or not listed:
            raise BenchError(f'{sample}: not a JSON list of rows, such as ["101-1", "101-2"]')
        keys = [str(key) for key in listed]
    loaded = load_tasks(source, keys)
    tell(f"row {problem.row} ({problem.key}): {problem.message}" for problem in loaded.problems)
    return Rows(list(loaded.tasks)[:limit], len(loaded.problems))


def see_repositories(repos: Path, tasks: "Sequence[Task]") -> None:
    """BenchError where there is no such folder, or none of the repositories in it: every row would fail for the same reason."""
    from ml_agent.benchmarks.data import repository_folder
    from ml_agent.benchmarks.errors import BenchError

    if not repos.is_dir():
        raise BenchError(f"--repos {repos}: no such folder; `ml-agent bench repos` fetches the repositories")
    if tasks and not any(repository_folder(task, repos) for task in tasks):
        names = ", ".join(list(dict.fromkeys(task.repository for task in tasks))[:3])
        raise BenchError(
            f"--repos {repos}: none of the repositories is in it ({names}); `ml-agent bench repos` fetches them"
        )


def tell(lines: Iterable[str]) -> None:
    """Write lines to stderr as they are."""
    console = Terminal(stderr=True)
    for line in lines:
        console.say(line)


def processes(jobs: int) -> int:
    """The number of jobs, 0 resolved."""
    return jobs or os.cpu_count() or 1


def clear_up() -> None:
    """Remove the containers that a bench left which was killed: they would go on computing beside this one."""
    from ml_agent.sandbox.cleanup import reap

    reap()


@contextmanager
def engine_of(work: Work) -> "Iterator[Engine]":
    """The engine that was chosen. BenchError where a cluster cannot be had."""
    if work.engine == "dask":
        from ml_agent.benchmarks.engines.dask import dask_engine

        address = work.scheduler or os.environ.get("DASK_SCHEDULER_ADDRESS", "")
        with dask_engine(address, processes(work.jobs)) as engine:
            yield engine
    else:
        from ml_agent.benchmarks.engines.local import LocalEngine

        yield LocalEngine(processes(work.jobs))
