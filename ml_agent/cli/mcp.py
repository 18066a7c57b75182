"""`ml-agent mcp`."""

import os
import signal
import socket
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Literal

import typer

from ml_agent.errors import ConfigurationError, UsageError, install_extra
from ml_agent.settings import load_settings
from ml_agent.terminal import write_error


def mcp(
    transport: Annotated[
        Literal["stdio", "http"],
        typer.Option(
            help="How clients connect: by standard input and output (stdio), or by HTTP on this machine with a token (http)."
        ),
    ] = "stdio",
    port: Annotated[int, typer.Option(help="Port to listen on with --transport http.", min=1, max=65535)] = 8765,
    root: Annotated[
        list[Path] | None,
        typer.Option(help="Folder from which local repositories may be read; repeatable. Default: the working folder."),
    ] = None,
    max_cost: Annotated[
        float, typer.Option(help="What all calls together may cost at the model's endpoint, in USD.", min=0)
    ] = 10.0,
    max_seconds: Annotated[float, typer.Option(help="Seconds that all runs together may take.", min=0)] = 8 * 3600.0,
    session_cost: Annotated[
        float, typer.Option(help="What the calls of one client session may cost, in USD.", min=0)
    ] = 5.0,
    session_seconds: Annotated[
        float, typer.Option(help="Seconds that the runs of one client session may take.", min=0)
    ] = 4 * 3600.0,
) -> int:
    """Serve the tools to coding agents over the Model Context Protocol.

    Examples:

        ml-agent mcp

        ml-agent mcp --transport http --port 8765 --root ~/projects
    """
    try:
        from ml_agent.mcp_guard import Guard, Share
        from ml_agent.mcp_server import server
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "anyio"):
            raise
        raise ConfigurationError(f"`ml-agent mcp` needs the extra `mcp`: {install_extra('mcp')}") from error
    roots = [folder.expanduser() for folder in root or [Path.cwd()]]
    if missing := [folder for folder in roots if not folder.is_dir()]:
        raise UsageError(f"--root: there is no folder {missing[0]}")
    limits = Share(max_cost, max_seconds), Share(session_cost, session_seconds)
    made, tools = server(Guard(roots, *limits))
    token = ExitStack()

    def end(number: int, _frame: FrameType | None) -> None:
        """Nothing may be left running; and the thread that waits for input cannot be woken, so no other way out ends."""
        tools.stop_all()
        token.close()
        os._exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    if transport == "stdio":
        made.run("stdio")
    else:
        _see_that_it_is_free(port)
        with token:
            _serve(made.streamable_http_app(), port, token)
    return 0


def _serve(app: Any, port: int, token: ExitStack) -> None:
    """Serve over HTTP to whoever has the token, which is said once and lies in a file until `token` is closed."""
    import uvicorn

    from ml_agent.mcp_guard import HOST, TokenGuard

    guarded = TokenGuard(app, port)
    file = token.enter_context(guarded.written(load_settings().cache_dir, port))
    write_error(f"http://{HOST}:{port}/mcp with the header `Authorization: Bearer {guarded.token}`, also in {file}")
    uvicorn.run(guarded, host=HOST, port=port, log_level="error", limit_concurrency=100, timeout_graceful_shutdown=5)


def _see_that_it_is_free(port: int) -> None:
    """ConfigurationError where the port is taken: the server's own library ends the process with a log in its manner."""
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
        try:
            trial.bind(("127.0.0.1", port))
        except OSError as error:
            raise ConfigurationError(
                f"port {port} is not available ({error.strerror}): choose another --port"
            ) from error
