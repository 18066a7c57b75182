"""`ml-agent solve-many`: a file of instructions."""

from pathlib import Path
from typing import Annotated

import typer

from ml_agent.cli import options as o
from ml_agent.settings import Settings, load_settings
from ml_agent.terminal import write_error

RESULTS = Path("results.jsonl")


def solve_many(
    instructions: Annotated[
        Path,
        typer.Argument(help="One task a line: a sentence, or JSON with instruction, repo, path, arguments, id."),
    ],
    out: Annotated[Path, typer.Option(help="Results file, one a line; results already in it are kept.")] = RESULTS,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Runs at once.")] = 1,
    model: o.Model = None,
    sandbox: o.Sandbox = None,
    run: o.Run = None,
    max_cost: Annotated[float | None, typer.Option(help="Limit in USD for each run.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Time limit of each run in seconds.")] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Do not print a line for each result on stderr.")
    ] = False,
) -> int:
    """Solve a file of instructions; a second call continues where the first stopped.

    Exit code 1 where any of them did not reach the level that was asked for.

    Example:

        ml-agent solve-many instructions.jsonl --out results.jsonl --jobs 4 --run none
    """
    flags = {
        "model": model,
        "sandbox": sandbox,
        "run": "none" if sandbox == "none" else run,
        "max_cost": max_cost,
        "max_seconds": max_seconds,
    }
    with o.named_as_flags(flags):
        settings = load_settings(**flags)
    return answer_file(instructions, settings, out, jobs, quiet)


def answer_file(instructions: Path, settings: Settings, out: Path | None, jobs: int, quiet: bool) -> int:
    """Answer all lines of a file; the exit code. Raises UsageError where the file or the results cannot be used."""
    from ml_agent.many import read_instructions, solve_many

    say = _quiet if quiet else write_error
    return int(solve_many(read_instructions(instructions), settings, out or RESULTS, jobs, say) > 0)


def _quiet(_line: str) -> None:
    """Say nothing."""
