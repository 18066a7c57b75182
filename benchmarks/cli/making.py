"""`ml-agent bench make`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ml_agent.benchmarks.cli import options as o
from ml_agent.console import Terminal

if TYPE_CHECKING:
    from ml_agent.benchmarks.make.run import Report


def make(
    repositories: Annotated[list[str], typer.Argument(help="Folders, or OWNER/NAME on GitHub.")],
    out: Annotated[Path, typer.Option("--out", help="JSONL file of rows to write; run again to go on.")],
    rows: Annotated[int, typer.Option("--rows", min=1, help="Rows of one repository, at most.")] = 24,
    seed: Annotated[int, typer.Option("--seed", help="Decides what is drawn.")] = 0,
    model: o.Model = "",
    base_url: o.BaseUrl = "",
    jobs: o.Jobs = 0,
    as_json: o.AsJson = False,
) -> int:
    """Make rows for any repository: requests in six styles, and commands that its own parser takes.

    Nothing of a repository is installed; its parsers run apart from everything. What is refused makes no row. Requests come from
    templates and help texts; with --model a model words them, and what loses a value is not taken.

    Example:

        ml-agent bench make ./my-project karpathy/minGPT --out rows.jsonl
    """
    import msgspec

    from ml_agent.benchmarks.make.run import Order
    from ml_agent.benchmarks.make.run import make as run
    from ml_agent.benchmarks.make.sources import sources
    from ml_agent.settings import load_settings

    order = Order(
        sources=sources(repositories), out=out, cache=load_settings().cache_dir / "indexes", rows=rows, seed=seed,
        jobs=o.processes(jobs), model=model, base_url=base_url,
    )  # fmt: skip
    report = run(order, lambda line: o.tell([line]))
    if as_json:
        sys.stdout.write(json.dumps(msgspec.to_builtins(report)) + "\n")
        return 0 if report.rows else 1
    Terminal().print(_table(report))
    o.tell(f"no rows: {name}" for name in report.empty)
    return 0 if report.rows else 1


def _table(report: "Report") -> Table:
    table = Table("what", "how many", box=None)
    table.add_row("rows", f"{report.rows} of {report.repositories} repositories")
    for name in ("frameworks", "styles", "splits", "refused", "wording"):
        for label, count in getattr(report, name).items():
            table.add_row(f"{name}: {label}", str(count))
    return table
