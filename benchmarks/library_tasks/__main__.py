"""How many library tasks a model does: `python -m benchmarks.library_tasks tests/library_tasks/tasks.toml --url URL --model NAME`."""

import functools
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ml_agent.benchmarks.kept_rows import KeptRows
from ml_agent.benchmarks.library_tasks.run import Row, load, run_task
from ml_agent.benchmarks.solved_copy import Endpoint, SandboxKind


def main(
    tasks: Annotated[Path, typer.Argument(help="File of the tasks.", exists=True, dir_okay=False)],
    url: Annotated[str, typer.Option(help="The model's endpoint.")],
    model: Annotated[str, typer.Option(help="The model's name there.")],
    only: Annotated[list[str] | None, typer.Option(help="Id of a task; may be repeated.")] = None,
    sandbox: Annotated[SandboxKind, typer.Option(help="local: bubblewrap; process: without isolation.")] = "docker",
    answers: Annotated[int, typer.Option(help="Answers that may be given.", min=1)] = 5,
    out: Annotated[Path | None, typer.Option(help="One JSON line a task; those that stand there are not run.")] = None,
) -> None:
    """Run each task and judge the file that it leaves."""
    kept = KeptRows(out, Row)
    console = Console(width=140)
    table = Table("task", "delivered", "answers", "evidence", "tokens", "calls", "s", "why")
    repositories, endpoint = tasks.resolve().parent / "repositories", Endpoint(url=url, model=model)
    rows = []
    for task in load(tasks):
        if only and task.id not in only:
            continue
        run = functools.partial(run_task, task, repositories, endpoint, sandbox, answers)
        row = kept.done(run, task=task.id, sandbox=sandbox, model=model)
        rows.append(row)
        table.add_row(
            row.task, "yes" if row.delivered else "no", str(len(row.drafts)), row.evidence, str(row.tokens), str(row.calls),
            f"{row.seconds:.0f}", row.why[:60],
        )  # fmt: skip
    console.print(table)
    console.print(
        f"{sum(row.delivered for row in rows)} of {len(rows)} delivered; {sum(row.tokens for row in rows)} tokens"
    )


if __name__ == "__main__":
    typer.run(main)
