"""A real pseudo-terminal for tests of what a person sees."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.command import start

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b[=>78]")


class Seen(NamedTuple):
    """What came over the terminal, and the exit code."""

    raw: str
    code: int

    @property
    def text(self) -> str:
        """Without what terminals obey."""
        return _CONTROL.sub("", self.raw).replace("\r\n", "\n").replace("\r", "")


def on_terminal(
    arguments: Sequence[str],
    folder: Path,
    *,
    columns: int = 100,
    answers: Sequence[tuple[str, str]] = (),
    extra: dict[str, str] | None = None,
    seconds: float = 300,
) -> Seen:
    """Run the program on a terminal of that width; each answer is typed once its question was seen.

    Args:
        arguments: behind `ml-agent`.
        folder: to run in.
        answers: pairs of what is waited for and what is typed then.
        extra: environment variables over the test's own.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", **(extra or {})}
    environment.pop("COLUMNS", None)
    with start(arguments, environment, folder, terminal=slave) as process:
        os.close(slave)
        try:
            raw = _conversation(master, list(answers), time.monotonic() + seconds)
            return Seen(raw, process.wait(60))
        finally:
            os.close(master)


def _conversation(master: int, answers: list[tuple[str, str]], deadline: float) -> str:
    """Everything read until the other side closes, with the answers typed in between."""
    raw = b""
    while time.monotonic() < deadline:
        if not select.select([master], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(master, 65536)
        except OSError:  # how Linux says that nobody holds the other side any more
            break
        raw += piece
        if answers and answers[0][0] in raw.decode("utf-8", "replace"):
            os.write(master, answers.pop(0)[1].encode())
    return raw.decode("utf-8", "replace")
