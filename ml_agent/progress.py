"""The live display on stderr: one line a phase."""

import threading
import time
from typing import Protocol

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from ml_agent.terminal import terminal_text

PATIENCE = 3.0
"""Seconds after which a phase that is still under way is told where no spinner can be seen."""
_DOING = {
    "understand": "reading the instruction",
    "search": "looking for repositories",
    "rank": "ranking them",
    "plan": "reading the repository",
    "generate": "writing the answer",
    "check": "checking it against the repository",
    "execute": "running it",
    "diagnose": "finding out what went wrong",
}


class Observer(Protocol):
    """Whoever watches a run."""

    def on_phase(self, name: str, moment: str, note: str) -> None:
        """A node is entered ("enter") or left ("leave", with what it found)."""

    def on_output(self, text: str) -> None:
        """The sandbox printed something."""

    def close(self) -> None:
        """The run is over."""


class Progress:
    """Shows the phase in turn with a spinner and leaves one line behind for each."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status: Status | None = None
        self._overdue: threading.Timer | None = None
        self._started = 0.0

    def on_phase(self, name: str, moment: str, note: str) -> None:
        """React to a node that is entered or left."""
        if moment == "enter":
            self._started = time.monotonic()
            self._status = self._console.status(f"{name}: {_DOING[name]}")
            self._status.start()
            if not self._console.is_terminal:
                self._overdue = threading.Timer(PATIENCE, self._still, [name])
                self._overdue.daemon = True
                self._overdue.start()
            return
        self.close()
        seconds = time.monotonic() - self._started
        lines = terminal_text(note).splitlines() or [""]
        self._console.print(
            f"[bold]{name:<10}[/bold] {escape(lines[0])} [dim]({seconds:.1f} s)[/dim]", highlight=False, soft_wrap=True
        )

    def _still(self, name: str) -> None:
        self._console.print(f"{name:<10} still {_DOING[name]}", highlight=False, soft_wrap=True)

    def on_output(self, text: str) -> None:
        """Show the last line of what runs in the sandbox."""
        line = terminal_text(text.rstrip().rpartition("\n")[2].rpartition("\r")[2]).strip()
        if line and self._status is not None:
            self._status.update(f"execute: {escape(line[:120])}")

    def close(self) -> None:
        """End the spinner."""
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None
        if self._status is not None:
            self._status.stop()
            self._status = None
