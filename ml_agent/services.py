"""The parts of one run that its nodes use, and the interface of whoever watches it. They are made anew at a resume, never checkpointed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ml_agent.execution import Executor
from ml_agent.model.budget import Budget, Usage
from ml_agent.navigator import Navigator
from ml_agent.settings import Settings
from ml_agent.state import Plain
from ml_agent.tools.candidates import Candidate, Source
from ml_agent.trajectory import Trajectory
from ml_agent.workspaces import Workspaces


@dataclass
class Services:
    """The parts picked for one run."""

    settings: Settings
    navigator: Navigator
    source: Source | None
    """Where repositories are searched for; None where the user named one (`named`)."""
    workspaces: Workspaces
    executor: Executor | None
    """None where nothing is to be run, or nothing can be (`no_executor` then says why)."""
    budget: Budget
    trajectory: Trajectory
    observer: "Observer"
    named: Candidate | None = None
    no_executor: str = ""
    shows_inputs: bool = False
    """Whether a program may see the files of the user's that the request names."""
    changed_from: str = ""
    """The version of the user's folder that a resumed run was planned for, where the folder has changed since."""
    notes: dict[str, str] = field(default_factory=dict)
    """A line for the progress display, by phase."""

    def note(self, phase: str, text: str) -> None:
        """What the progress display says when the phase is done."""
        self.notes[phase] = text

    def close(self) -> None:
        """Remove what this run made outside its folder."""
        if self.executor is not None:
            self.executor.close()


# The interface of whoever watches a run: the display, a stream of events.


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
