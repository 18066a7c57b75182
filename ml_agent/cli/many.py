"""`ml-agent solve-many`: a file of instructions."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ml_agent.cli import options as o
from ml_agent.settings import load_settings


def solve_many(
    instructions: Annotated[
        Path,
        typer.Argument(help="One instruction a line: a sentence, or JSON with instruction, repo, path, arguments, id."),
    ],
    out: Annotated[Path, typer.Option(help="Results, one a line; those that are there are kept.")] = Path(
        "results.jsonl"
    ),
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Runs at once.")] = 1,
    model: o.Model = None,
    sandbox: o.Sandbox = None,
    run: o.Run = None,
    max_cost: Annotated[float | None, typer.Option(help="USD, for each run.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Wall time of each run.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No line for each result on stderr.")] = False,
) -> int:
    """Answer a file of instructions; a second call goes on where the first was cut.

    Exit code 1 where any of them did not reach the level that was asked for.

    Example:

        ml-agent solve-many instructions.jsonl --out results.jsonl --jobs 4 --run none
    """
    from ml_agent.many import read_instructions
    from ml_agent.many import solve_many as answer_all

    settings = load_settings(
        model=model,
        sandbox=sandbox,
        run="none" if sandbox == "none" else run,
        max_cost=max_cost,
        max_seconds=max_seconds,
    )
    failed = answer_all(read_instructions(instructions), settings, out, jobs, _quiet if quiet else _say)
    return int(failed > 0)


def _say(result: dict[str, Any]) -> None:
    sys.stderr.write(f"{result['id']}\t{result['ending']}\t{result['message']}\n")


def _quiet(_result: dict[str, Any]) -> None:
    """Say nothing."""
