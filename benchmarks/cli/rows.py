"""`ml-agent bench repos`."""

from pathlib import Path
from typing import Annotated

import typer

from ml_agent.benchmarks.cli import options as o


def repos(
    tasks: o.Tasks,
    repos: o.Repos,
    commit: Annotated[
        list[str] | None, typer.Option(help="NAME=SHA, above the pinned one; NAME=HEAD takes the newest; repeatable.")
    ] = None,
    mirrors: Annotated[
        Path | None, typer.Option(help="Folder of git directories to take them from instead of GitHub.")
    ] = None,
    sample: o.Sample = None,
) -> int:
    """Lay the repositories of the rows at their pinned commits, as the other commands want them.

    One that cannot be had is told, and the exit code is 1; the rows of the others can be used.

    Example:

        ml-agent bench repos --tasks rows.jsonl --repos repos
    """
    from ml_agent.benchmarks.errors import BenchError
    from ml_agent.benchmarks.repositories import lay_repositories

    pairs = [text.partition("=") for text in commit or ()]
    if any(not name or not sha for name, _, sha in pairs):
        raise BenchError("--commit: write NAME=SHA")
    rows, missing = o.load_rows(tasks, sample), 0
    for laid in lay_repositories(rows.tasks, repos, {name.lower(): sha for name, _, sha in pairs}, mirrors):
        missing += bool(laid.problem)
        absent = f"; not in the mirror: {', '.join(laid.absent)}" if laid.absent else ""
        o.tell([f"{laid.name}: {laid.problem or laid.commit + ('' if laid.new else ' (there)')}{absent}"])
    return 1 if missing or rows.bad else 0
