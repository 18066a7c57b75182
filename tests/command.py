"""The command line in a process of its own, forked from a server that has imported it: starting costs milliseconds instead of a second.

Who tests the start itself runs `python -m ml_agent`.
"""

import atexit
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import termios
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from ml_agent.cli import main

_SERVER = get_context("forkserver")
_SERVER.set_forkserver_preload(["tests.preloaded"])


SECONDS = 300.0
"""Of the clock, for what ends in seconds on a quiet machine."""


def ml_agent(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command line of ours here, with more environment."""
    return run(arguments, os.environ | environment)


def run(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path | None = None, seconds: float = SECONDS
) -> "subprocess.CompletedProcess[str]":
    """Run a command line of ours in a folder with this environment only.

    Raises TimeoutExpired, with what was printed, where it takes longer than so many seconds.
    """
    with start(arguments, environment, folder) as process:
        code = process.wait(seconds)
        return subprocess.CompletedProcess(arguments, code, *process.printed())


def start(
    arguments: Sequence[str],
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    *,
    terminal: int | None = None,
    program: Callable[[], object] = main,
) -> "Started":
    """Begin a command line of ours, in a session of its own.

    Args:
        arguments: what stands behind the program's name.
        environment: all of it; this process's own where None.
        folder: to run in.
        terminal: a descriptor of the terminal that it stands on; without one it reads nothing and prints into files.
        program: another one that can be imported by its name.
    """
    return Started(
        Call(program, tuple(arguments), dict(os.environ if environment is None else environment), folder or Path.cwd()),
        terminal,
    )


class Call(NamedTuple):
    """What is run."""

    program: Callable[[], object]
    arguments: tuple[str, ...]
    environment: dict[str, str]
    folder: Path


class Started:
    """A process that was begun, with the names that `subprocess.Popen` has for the same; it is killed where the block is left."""

    def __init__(self, call: Call, terminal: int | None) -> None:
        self._call = call
        self._kept = tempfile.TemporaryDirectory()
        self._outputs = (Path(self._kept.name, "out"), Path(self._kept.name, "err"))
        for path in self._outputs:
            path.touch()
        console = (
            None if terminal is None else Connection(os.dup(terminal))
        )  # the one thing that takes a descriptor along
        self._process = _SERVER.Process(target=_run, args=(call, self._outputs, console))
        self._process.start()

    def __enter__(self) -> "Started":
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()
        self._process.join(SECONDS)
        self._kept.cleanup()

    @property
    def returncode(self) -> int | None:
        """Its exit code, a signal's number below zero, None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """The same."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal where it still runs."""
        if self._process.exitcode is None and self._process.pid is not None:
            os.kill(self._process.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float = SECONDS) -> int:
        """Its exit code once it has ended; TimeoutExpired where that takes longer."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self._call.arguments, timeout, *(p.read_bytes() for p in self._outputs))
        return self._process.exitcode

    def printed(self) -> tuple[str, str]:
        """What it wrote to its output and its errors so far."""
        out, err = (path.read_text(encoding="utf-8", errors="surrogateescape") for path in self._outputs)
        return out, err

    def communicate(self, timeout: float = SECONDS) -> tuple[str, str]:
        """What it wrote, once it has ended."""
        self.wait(timeout)
        return self.printed()


def _run(call: Call, outputs: tuple[Path, Path], console: "Connection[Any, Any] | None") -> None:
    """What the forked process does: put itself where a new process would be, then be the program."""
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests that are started by `nohup` ignore it
    os.chdir(call.folder)
    os.environ.clear()
    os.environ.update(call.environment)
    if console is None:
        for number, path in zip((1, 2), outputs, strict=True):
            with path.open("wb") as file:
                os.dup2(file.fileno(), number)
    else:
        for number in (0, 1, 2):
            os.dup2(console.fileno(), number)
        console.close()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # Ctrl-C comes by the controlling terminal
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w", buffering=1), open(2, "w", buffering=1)  # noqa: SIM115
    sys.argv = ["ml-agent", *call.arguments]
    try:
        call.program()
    finally:
        atexit._run_exitfuncs()
