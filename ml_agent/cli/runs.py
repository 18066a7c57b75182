"""`ml-agent runs` and `ml-agent view`."""

import json
import os
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from ml_agent.cli.tables import draw_table
from ml_agent.runs import RunFolder, delete_run, known_run, known_runs
from ml_agent.settings import load_settings
from ml_agent.terminal import Terminal, write_error, write_out
from ml_agent.trajectory import read_trajectory
from ml_agent.wording import shortened

app = typer.Typer(help="List, show and delete runs.", no_args_is_help=True)

_RUN = typer.Argument(help="The run: its folder, its id, or the beginning of its id.")


@app.command("list")
def list_(
    text: Annotated[
        str,
        typer.Option(
            "--filter", help="List only runs whose id, ending (such as delivered) or instruction contains this text."
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """All runs, oldest first, including those in folders of their own (--out)."""
    rows = [row for row in map(_row, known_runs(load_settings())) if text.lower() in " ".join(row.values()).lower()]
    if as_json:
        write_out(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
        return
    draw_table(
        ("run", "ending", "instruction"),
        [[_shown(row), row["ending"], shortened(row["instruction"])] for row in rows],
        whole=0,
    )


def _shown(row: dict[str, str]) -> str:
    """A run as other commands take it: by its id below the runs folder, else by its folder, of which several may be called alike."""
    folder = Path(row["folder"])
    if folder.parent == load_settings().runs_dir.absolute():
        return row["run"]
    return os.path.relpath(folder) if folder.is_relative_to(Path.cwd()) else str(folder)


def _row(folder: RunFolder) -> dict[str, str]:
    result = folder.result() or {"ending": "unfinished", "evidence": ""}
    instruction = str(folder.config().get("job", {}).get("instruction", ""))
    return {
        "run": folder.id,
        "ending": str(result["ending"]),
        "evidence": str(result["evidence"]),
        "instruction": instruction,
        "folder": str(folder.path),
    }


@app.command()
def show(run: Annotated[str, _RUN]) -> None:
    """The result of one run as JSON."""
    _print_json(_content(known_run(load_settings(), run)))


@app.command()
def delete(run: Annotated[str, _RUN]) -> None:
    """Remove one run's folder."""
    folder = known_run(load_settings(), run)
    delete_run(folder)
    write_error(f"deleted {folder.id}")


def view(
    run: Annotated[
        str,
        typer.Argument(help="The run: its folder, its id, or the beginning of its id. Without it all runs are listed."),
    ] = "",
    open_page: Annotated[bool, typer.Option("--open", help="Open report.html in the browser.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the run's events, one JSON object on each line.")
    ] = False,
    text: Annotated[
        str,
        typer.Option(
            "--filter",
            help="If no RUN is given, list only runs whose id, ending (such as delivered) or instruction contains this text.",
        ),
    ] = "",
) -> int:
    """Show a run on one screen: answer, evidence, doubts, files, cost, earlier drafts.

    The file report.html in the run's folder has all details.
    """
    if not run:
        list_(text, as_json)
        return 0
    folder = known_run(load_settings(), run)
    if as_json:
        for event in read_trajectory(folder.trajectory):
            write_out(json.dumps(event, ensure_ascii=False) + "\n")
        return 0
    _show_run(folder)
    if open_page and (result := folder.result()) is not None:
        from ml_agent.view.report import write_report

        write_report(folder, result)  # anew: the result bears this user's mark, the page does not
        webbrowser.open((folder.path / "report.html").as_uri())
    return 0


def _show_run(folder: RunFolder) -> None:
    from ml_agent.view.page import page_of
    from ml_agent.view.terminal import show as show_page

    content = _content(folder)
    console = Terminal()
    if "budget" not in content:
        console.say(f"{folder.id} is unfinished: ml-agent resume {folder.id}")
        return
    show_page(page_of(content, read_trajectory(folder.trajectory)), console)


def _content(folder: RunFolder) -> dict[str, Any]:
    return folder.result() or {"ending": "unfinished", **folder.config()}


def _print_json(content: Any) -> None:
    write_out(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
