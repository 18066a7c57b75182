"""How environments come about by rules alone: broken repositories that we made, and real ones.

python -m benchmarks.setup_bench cases tests/setup_bench/cases
python -m benchmarks.setup_bench real --mirrors FOLDER
"""

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ml_agent.benchmarks.results import KeptRows
from ml_agent.benchmarks.setup_bench.cases import load
from ml_agent.benchmarks.setup_bench.real import RealRow, repositories, run_repository
from ml_agent.benchmarks.setup_bench.run import Row, SandboxKind, run_case

app = typer.Typer(add_completion=False, no_args_is_help=True)
Only = Annotated[list[str] | None, typer.Option(help="Name of a case; may be repeated.")]
Kind = Annotated[SandboxKind, typer.Option(help="local: bubblewrap; process: without isolation.")]
Out = Annotated[Path | None, typer.Option(help="One JSON line a case; those that stand there are not run.")]
Verbose = Annotated[bool, typer.Option(help="Every step of the set-ups on stderr.")]


@app.command()
def cases(
    folder: Annotated[Path, typer.Argument(help="Folder of the cases.", exists=True, file_okay=False)],
    only: Only = None,
    sandbox: Kind = "docker",
    out: Out = None,
    verbose: Verbose = False,
) -> None:
    """Run each case by rules alone, without a model; exit with 1 where an end is not the right one."""
    wanted = [case for case in load(folder) if not only or case.name in only]
    if only and len(wanted) < len(set(only)):
        raise typer.BadParameter(f"no such case: {', '.join(sorted(set(only) - {case.name for case in wanted}))}")
    kept, console, note = KeptRows(out, Row), Console(stderr=True), _note(verbose)
    rows = []
    for case in wanted:
        row = kept.done(functools.partial(run_case, case, sandbox, note), case=case.name, sandbox=sandbox)
        console.print(f"{'ok ' if row.right else 'NOT'} {row.case}: {'; '.join(row.wrong) or row.ended}", markup=False)
        rows.append(row)
    _show(rows)
    sys.exit(0 if all(row.right for row in rows) else 1)


@app.command()
def real(
    mirrors: Annotated[Path, typer.Option(help="Folder with OWNER+NAME/repo, a git directory each.", exists=True)],
    only: Only = None,
    batch: Annotated[list[int] | None, typer.Option(help="Only the repositories that came with it.")] = None,
    sandbox: Kind = "local",
    out: Out = None,
    verbose: Verbose = False,
) -> None:
    """Make the environment of each real repository and run its documented entry; nothing but the package index is reached."""
    wanted = [row for row in repositories() if (not only or row.name in only) and (not batch or row.batch in batch)]
    kept, console, note = KeptRows(out, RealRow), Console(stderr=True), _note(verbose)
    rows = []
    for one in wanted:
        row = kept.done(functools.partial(run_repository, one, mirrors, sandbox, note), name=one.name)
        said = "ok " if row.right else "NOT"
        console.print(f"{said} {row.name} {row.set_up_seconds} s: {row.ended} {row.message[:200]}", markup=False)
        rows.append(row)
    right = sum(row.right for row in rows)
    console.print(f"{right} of {len(rows)} end as documented, {sum(row.seconds for row in rows):.0f} s", markup=False)


def _note(verbose: bool) -> Callable[[str], None] | None:
    console = Console(stderr=True)
    return (lambda line: console.print(f"  {line}", markup=False)) if verbose else None


def _show(rows: list[Row]) -> None:
    table = Table("case", "expected", "ended", "failures", "repairs", "s", "right")
    for row in rows:
        codes = " > ".join(row.failures) or "averted"
        right = "yes" if row.right else "; ".join(row.wrong)
        table.add_row(row.case, row.expected, row.ended, codes, "\n".join(row.repairs), f"{row.seconds:.0f}", right)
    console = Console(width=180)
    console.print(table)
    completed = [row for row in rows if row.ended == "completed" and row.right]
    diagnosed = [row for row in rows if row.ended == "diagnosed" and row.right]
    console.print(
        f"{len(rows)} cases: {len(completed)} completed ({sum(r.expected == 'completed' for r in rows)} should), "
        f"{len(diagnosed)} rightly diagnosed, {sum(not row.right for row in rows)} wrong; "
        f"{sum(row.model_tokens for row in rows)} tokens, {sum(row.seconds for row in rows):.0f} s"
    )


if __name__ == "__main__":
    app()
