"""How many broken repositories the sandbox's rules bring to their end: `python -m benchmarks.setup_bench tests/setup_bench/cases`."""

import functools
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ml_agent.benchmarks.kept_rows import KeptRows
from ml_agent.benchmarks.setup_bench.cases import load
from ml_agent.benchmarks.setup_bench.run import Row, SandboxKind, run_case


def main(
    folder: Annotated[Path, typer.Argument(help="Folder of the cases.", exists=True, file_okay=False)],
    only: Annotated[list[str] | None, typer.Option(help="Name of a case; may be repeated.")] = None,
    sandbox: Annotated[SandboxKind, typer.Option(help="local: bubblewrap; process: without isolation.")] = "docker",
    out: Annotated[Path | None, typer.Option(help="One JSON line a case; those that stand there are not run.")] = None,
    verbose: Annotated[bool, typer.Option(help="Every step of the set-ups on stderr.")] = False,
) -> None:
    """Run each case by rules alone, without a model; exit with 1 where an end is not the right one."""
    cases = [case for case in load(folder) if not only or case.name in only]
    if only and len(cases) < len(set(only)):
        raise typer.BadParameter(f"no such case: {', '.join(sorted(set(only) - {case.name for case in cases}))}")
    kept = KeptRows(out, Row)
    console = Console(stderr=True)
    note = (lambda line: console.print(f"  {line}", markup=False)) if verbose else None
    rows = []
    for case in cases:
        row = kept.done(functools.partial(run_case, case, sandbox, note), case=case.name, sandbox=sandbox)
        console.print(f"{'ok ' if row.right else 'NOT'} {row.case}: {'; '.join(row.wrong) or row.ended}", markup=False)
        rows.append(row)
    _show(rows)
    sys.exit(0 if all(row.right for row in rows) else 1)


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
    typer.run(main)
