"""`ml-agent runs` and `ml-agent view`."""

import json
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ml_agent.runs import delete_run, find_run, list_runs
from ml_agent.settings import load_settings
from ml_agent.trajectory import read_trajectory

app = typer.Typer(help="List, show and delete runs.", no_args_is_help=True)


@app.command("list")
def list_() -> None:
    """All runs in the runs folder, oldest first."""
    table = Table("run", "ending", "evidence", "instruction")
    for folder in list_runs(load_settings().runs_dir):
        result = folder.result()
        ending, evidence = (result["ending"], result["evidence"]) if result else ("unfinished", "")
        table.add_row(folder.id, ending, evidence, folder.config()["job"]["instruction"][:80])
    Console().print(table)


@app.command()
def show(run: Annotated[str, typer.Argument(help="Folder, id, or the beginning of an id.")]) -> None:
    """The result of one run as JSON."""
    folder = find_run(load_settings().runs_dir, run)
    content = folder.result() or {"ending": "unfinished", **folder.config()}
    sys.stdout.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


@app.command()
def delete(run: Annotated[str, typer.Argument(help="Folder, id, or the beginning of an id.")]) -> None:
    """Remove one run's folder."""
    folder = find_run(load_settings().runs_dir, run)
    delete_run(folder)
    Console(stderr=True).print(f"deleted {folder.id}", highlight=False)


def view(run: Annotated[str, typer.Argument(help="Folder, id, or the beginning of an id.")]) -> None:
    """What happened in a run, event by event."""
    folder = find_run(load_settings().runs_dir, run)
    console = Console()
    for event in read_trajectory(folder.trajectory):
        name = event.pop("event")
        event.pop("time")
        console.print(f"[bold]{name}[/bold]", end=" ")
        console.print(json.dumps(event, ensure_ascii=False)[:2000], markup=False, highlight=False)
    report = folder.path / "report.html"
    if report.exists():
        console.print(f"report: {report}", markup=False, highlight=False, soft_wrap=True)
