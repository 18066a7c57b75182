"""`ml-agent bench agents`: other agents, installed on demand."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ml_agent.benchmarks.cli import options as o
from ml_agent.cli.tables import write_table

app = typer.Typer(help="List and install the other agents, each in an environment of its own.", no_args_is_help=True)


@app.command("list")
def list_() -> int:
    """List the agents and whether they are installed.

    Example:

        ml-agent bench agents list
    """
    from ml_agent.benchmarks.subjects.agents import statuses

    write_table(("agent", "version", "here", "Python", "folder"), statuses())
    return 0


@app.command()
def install(
    name: Annotated[str, typer.Argument(help="The agent, by its name in `ml-agent bench agents list`.")],
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Folder with a checkout of the agent, if it is not in the package index."),
    ] = None,
) -> int:
    """Install an agent in an environment of its own, in the version that the benchmark supports.

    Examples:

        ml-agent bench agents install mini-swe-agent

        git clone https://github.com/SWE-agent/SWE-agent && ml-agent bench agents install swe-agent --from SWE-agent
    """
    from ml_agent.benchmarks.errors import BenchError
    from ml_agent.benchmarks.subjects.agents import agents_home, subject

    if source is not None and not source.is_dir():
        raise BenchError(f"--from {source} is not a folder")
    found = subject(name, source.absolute() if source else None)
    done = found.install(agents_home(), lambda line: o.tell([line]))
    sys.stdout.write(f"{done.folder}\n")
    return 0
