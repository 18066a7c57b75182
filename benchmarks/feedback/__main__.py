"""How often a second draft does what the first one failed at: `python -m benchmarks.feedback tests/feedback_tasks/tasks.toml`."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ml_agent.benchmarks.feedback.run import SCRIPTED, Row, Way, run_task
from ml_agent.benchmarks.feedback.tasks import FeedbackTask, load
from ml_agent.benchmarks.kept_rows import KeptRows
from ml_agent.benchmarks.solved_copy import Endpoint, SandboxKind


def main(
    tasks: Annotated[Path, typer.Argument(help="File of the tasks.", exists=True, dir_okay=False)],
    only: Annotated[list[str] | None, typer.Option(help="Id of a task; may be repeated.")] = None,
    sandbox: Annotated[SandboxKind, typer.Option(help="local: bubblewrap; process: without isolation.")] = "docker",
    attempts: Annotated[int, typer.Option(help="Drafts that may be written.", min=1)] = 2,
    url: Annotated[str, typer.Option(help="An endpoint in place of the scripted model.")] = "",
    model: Annotated[str, typer.Option(help="The model's name there.")] = "",
    out: Annotated[Path | None, typer.Option(help="One JSON line a task; those that stand there are not run.")] = None,
) -> None:
    """Run each task through the whole of `ml-agent solve`; exit with 1 where the scripted model does not complete one."""
    way = Way(sandbox=sandbox, attempts=attempts, endpoint=Endpoint(url=url, model=model) if url else None)
    kept = KeptRows(out, Row)
    rows = [_row(task, way, kept) for task in load(tasks).feedback if not only or task.id in only]
    _show(rows)
    sys.exit(0 if way.endpoint or attempts == 1 or all(row.completed for row in rows) else 1)


def _row(task: FeedbackTask, way: Way, kept: KeptRows[Row]) -> Row:
    known = {
        "sandbox": way.sandbox,
        "attempts": way.attempts,
        "model": way.endpoint.model if way.endpoint else SCRIPTED,
    }
    done = kept.done(lambda: run_task(task, way), task=task.id, **known)
    outcome = "completed" if done.completed else "; ".join([done.evidence, *done.wrong])
    Console(stderr=True).print(f"{done.task}: {outcome} ({done.seconds:.0f} s)", markup=False)
    return done


def _show(rows: list[Row]) -> None:
    table = Table("task", "completed", "drafts", "repairs", "error shown", "evidence", "tokens", "calls", "s")
    for row in rows:
        numbers = [str(row.tokens), str(row.calls), f"{row.seconds:.0f}"]
        table.add_row(row.task, _yes(row.completed), str(len(row.drafts)), str(row.repairs), _yes(row.told),
                      row.evidence, *numbers)  # fmt: skip
    console = Console(width=140)
    console.print(table)
    console.print(
        f"{sum(row.completed for row in rows)} of {len(rows)} completed within {rows[0].attempts if rows else 0} drafts; "
        f"the error line was shown in {sum(row.told for row in rows)}; {sum(row.tokens for row in rows)} tokens in "
        f"{sum(row.calls for row in rows)} calls, {sum(row.seconds for row in rows):.0f} s"
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


if __name__ == "__main__":
    typer.run(main)
