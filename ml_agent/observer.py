"""The interface of whoever watches a run: the display, a stream of events."""

from collections.abc import Callable, Sequence
from typing import Protocol

from ml_agent.model.budget import Usage
from ml_agent.state import Plain


class Observer(Protocol):
    """Whoever watches a run."""

    def on_phase(self, name: str, moment: str, note: str) -> None:
        """A node is entered ("enter") or left ("leave", with what it found: a line, then details one a line)."""

    def on_output(self, text: str) -> None:
        """The sandbox printed something."""

    def watch(self, usage: Callable[[], Usage]) -> None:
        """What was spent so far can be asked for from now on."""

    def choose(self, offered: Sequence[Plain]) -> int | None:
        """Which of several answers is meant, where none is likely enough; None where nobody says."""

    def close(self) -> None:
        """The run is over."""
