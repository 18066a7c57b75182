"""`ml-agent mcp`."""

import os
import signal
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from ml_agent.errors import ConfigurationError, UsageError, install_extra


def mcp(
    root: Annotated[
        list[Path] | None,
        typer.Option(help="Folder that local repositories must be inside; repeatable. Default: the working folder."),
    ] = None,
    max_cost: Annotated[float, typer.Option(help="Limit in USD for all calls together.", min=0)] = 10.0,
    max_seconds: Annotated[float, typer.Option(help="Limit in seconds for all runs together.", min=0)] = 8 * 3600.0,
) -> int:
    """Serve the tools to coding agents over the Model Context Protocol.

    Examples:

        ml-agent mcp

        ml-agent mcp --root ~/projects --max-cost 5
    """
    try:
        from ml_agent.mcp_guard import Guard, Share
        from ml_agent.mcp_server import server
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "anyio"):
            raise
        raise ConfigurationError(f"the extra `mcp` is missing: {install_extra('mcp')}") from error
    roots = [folder.expanduser() for folder in root or [Path.cwd()]]
    if missing := [folder for folder in roots if not folder.is_dir()]:
        raise UsageError(f"--root {missing[0]}: no such folder")
    made, tools = server(Guard(roots, Share(max_cost, max_seconds)))

    def end(number: int, _frame: FrameType | None) -> None:
        """Nothing may be left running; and the thread that waits for input cannot be woken, so no other way out ends."""
        tools.stop_all()
        os._exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    made.run("stdio")
    return 0
