"""`ml-agent mcp`."""

import os
import signal
import socket
from types import FrameType
from typing import Annotated, Literal

import typer

from ml_agent.errors import ConfigurationError
from ml_agent.extras import install_extra


def mcp(
    transport: Annotated[
        Literal["stdio", "http"], typer.Option(help="stdio, or streamable HTTP on loopback.")
    ] = "stdio",
    port: Annotated[int, typer.Option(help="Port of --transport http.", min=1, max=65535)] = 8765,
) -> int:
    """Serve the tools to coding agents over the Model Context Protocol.

    Examples:

        ml-agent mcp

        ml-agent mcp --transport http --port 8765
    """
    try:
        from ml_agent.mcp_server import server, stop_all
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "anyio"):
            raise
        raise ConfigurationError(f"the extra `mcp` is missing: {install_extra('mcp')}") from error

    def end(number: int, _frame: FrameType | None) -> None:
        """Nothing may be left running; and the thread that waits for input cannot be woken, so no other way out ends."""
        stop_all()
        os._exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    if transport == "stdio":
        server().run("stdio")
    else:
        _see_that_it_is_free(port)
        server().run("streamable-http", host="127.0.0.1", port=port)
    return 0


def _see_that_it_is_free(port: int) -> None:
    """ConfigurationError where the port is taken: the server's own library ends the process with a log in its manner."""
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
        try:
            trial.bind(("127.0.0.1", port))
        except OSError as error:
            raise ConfigurationError(f"port {port} cannot be had ({error.strerror}): choose another --port") from error
