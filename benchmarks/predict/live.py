"""What is under way, on stderr."""

import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.table import Table

from benchmarks.predict.rows import Result


class Progress:
    """A live table: rows, rate, time left, tokens, money, errors; silent where stderr is no terminal."""

    def __init__(self, total: int, done: int, subject: str) -> None:
        self.total, self.done, self.subject = total, done, subject
        self.new = self.failed = self.tokens = 0
        self.usd = 0.0
        self.last = ""
        self._began = time.monotonic()
        self._console = Console(stderr=True)
        self._live = Live(self._table(), console=self._console, transient=True, refresh_per_second=4)

    def __enter__(self) -> "Progress":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def add(self, result: Result) -> None:
        """One more result."""
        self.new += 1
        self.done += 1
        self.failed += bool(result.error)
        self.tokens += result.usage.prompt_tokens + result.usage.completion_tokens
        self.usd += result.usage.usd
        self.last = f"{result.github_id}-{result.id}" + (f": {result.error}" if result.error else "")
        if self._console.is_terminal:
            self._live.update(self._table())

    def _table(self) -> Table:
        seconds = time.monotonic() - self._began
        rate = self.new / seconds if seconds > 0 else 0.0
        left = (self.total - self.done) / rate if rate else None
        table = Table("subject", "rows", "per minute", "left", "tokens", "USD", "errors", "last", box=None)
        table.add_row(
            self.subject, f"{self.done}/{self.total}", f"{60 * rate:.1f}", "-" if left is None else f"{left:.0f} s", str(self.tokens),
            f"{self.usd:.4f}", str(self.failed), self.last[:60],
        )  # fmt: skip
        return table
