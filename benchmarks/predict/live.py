"""What is under way, on stderr."""

import time
from types import TracebackType

from rich.text import Text

from ml_agent.console import Terminal

QUIET_SECONDS = 30.0
"""Where stderr is no terminal, a line is written no more often than this."""


class Progress:
    """Rows, rate, time left, tokens, money, errors: a line that changes on a terminal, one now and then elsewhere."""

    def __init__(self, total: int, done: int, subject: str) -> None:
        self.total, self.done, self.subject = total, done, subject
        self.new = self.failed = self.tokens = 0
        self.usd = 0.0
        self.last = ""
        self._began = self._said = time.monotonic()
        self._console = Terminal(stderr=True)
        self._status = self._console.status(Text(self.line()))

    def __enter__(self) -> "Progress":
        if self._console.is_terminal:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def add(self, name: str, tokens: int, usd: float, error: str) -> None:
        """Count one more result."""
        self.new += 1
        self.done += 1
        self.failed += bool(error)
        self.tokens += tokens
        self.usd += usd
        self.last = name + (f": {error}" if error else "")
        if self._console.is_terminal:
            self._status.update(Text(self.line()))
        elif time.monotonic() - self._said > QUIET_SECONDS:
            self._said = time.monotonic()
            self._console.say(self.line())

    def line(self) -> str:
        """All of it in one line."""
        seconds = time.monotonic() - self._began
        rate = self.new / seconds if seconds > 0 else 0.0
        left = f"{(self.total - self.done) / rate:.0f} s" if rate else "-"
        return (
            f"{self.subject}: {self.done}/{self.total} done, {60 * rate:.1f} a minute, {left} left, {self.tokens} tokens, "
            f"{self.usd:.4f} USD, {self.failed} errors; {self.last}"
        )
