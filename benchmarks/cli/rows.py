"""`ml-agent bench repos` and `make`."""

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

import typer

from ml_agent.benchmarks.cli import options as o
from ml_agent.wording import counted


def repos(
    tasks: o.Tasks,
    repos: o.Repos,
    commit: Annotated[
        list[str] | None,
        typer.Option(help="Another commit than the pinned one: NAME=SHA, or NAME=HEAD for the newest; repeatable."),
    ] = None,
    mirrors: Annotated[
        Path | None, typer.Option(help="Folder with git directories of the repositories, to use instead of GitHub.")
    ] = None,
    sample: o.Sample = None,
    limit: o.Limit = None,
) -> int:
    """Fetch the repositories of the rows at their pinned commits into the folder that other commands use.

    If a repository cannot be fetched, the command says so and ends with exit code 1; the others can be used.

    Example:

        ml-agent bench repos --tasks rows.jsonl --repos repos
    """
    from ml_agent.benchmarks.errors import BenchError
    from ml_agent.benchmarks.repositories import lay_repositories

    pairs = [text.partition("=") for text in commit or ()]
    if any(not name or not sha for name, _, sha in pairs):
        raise BenchError("--commit takes NAME=COMMIT: a repository, and a hash or HEAD, such as dgl=HEAD")
    rows, missing = o.load_rows(tasks, sample, limit), 0
    for laid in lay_repositories(rows.tasks, repos, {name.lower(): sha for name, _, sha in pairs}, mirrors):
        missing += bool(laid.problem)
        absent = f"; not in the mirror: {', '.join(laid.absent)}" if laid.absent else ""
        o.tell([f"{laid.name}: {laid.problem or laid.commit + ('' if laid.new else ' (already there)')}{absent}"])
    return 1 if missing or rows.bad else 0


def make(
    repositories: Annotated[
        list[str],
        typer.Argument(
            help="The repositories: folders, or OWNER/NAME on GitHub; their rows are written into one file."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="JSONL file for the rows, which must not exist yet. Form D: a folder; if it has rows already, the command continues.",
        ),
    ],
    form: Annotated[
        Literal["D", "L"], typer.Option("--form", help="What the rows ask for: commands (L), or files to deliver (D).")
    ] = "L",
    rows: Annotated[
        int, typer.Option("--rows", min=1, help="How many rows are made from one repository at most.")
    ] = 24,
) -> int:
    """Make rows from any repositories.

    Form L takes documented commands, gives them other values, and keeps those that the repository's own parser accepts. Nothing is
    installed, and the parser runs in a sandbox.

    Form D takes documented examples that work in a sandbox and give the same files or output each time. Numbers in an answer may differ
    by 0.1 %.

    Examples:

        ml-agent bench make ./my-project karpathy/minGPT --out rows.jsonl

        ml-agent bench make --form D ./my-project --out my-rows
    """
    from ml_agent.benchmarks import make as form_l
    from ml_agent.benchmarks.errors import BenchError
    from ml_agent.files import make_writable, write_atomically
    from ml_agent.settings import load_settings

    cache, given = load_settings().cache_dir / "indexes", form_l.sources(repositories)
    if form == "D":
        from ml_agent.benchmarks.form_d import make as form_d

        folder = form_d.Order(out=out.absolute(), cache=cache, rows=rows)
        found = [form_d.make_deliveries(source, folder, lambda line: o.tell([line])) for source in given]
        number, refused = sum(len(made) for made, _ in found), dict(sum((why for _, why in found), Counter[str]()))
    else:
        if out.exists():
            raise BenchError(f"{out} is there already; name another file for --out")
        make_writable(out.parent)  # where nothing can be written that is told before the work
        parts = list(form_l.make(given, cache, rows, lambda line: o.tell([line])))
        lines = [json.dumps(row, ensure_ascii=False) for made in parts for row in made.rows]
        write_atomically(out, "".join(f"{line}\n" for line in lines))
        number, refused = len(lines), dict(sum((Counter(made.refused) for made in parts), Counter[str]()))
    without = (f"{counted(n, 'attempt')} gave no row: {why}" for why, n in refused.items())
    o.tell([f"{number} rows: {out}", *without])
    return 0 if number else 1
