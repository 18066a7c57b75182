"""Whoever answers rows, as the runner sees it: a navigator of ours, or another agent."""

import functools
from collections.abc import Callable
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Setting, Task, visible
from ml_agent.benchmarks.predict.config import Config
from ml_agent.benchmarks.predict.rows import Result
from ml_agent.benchmarks.predict.unit import Unit, answer

GRACE_SECONDS = 2.0
"""A row that comes to its end after its limit has time to say so, and what it spent, before its process is ended."""


class Respondent(msgspec.Struct, frozen=True, kw_only=True):
    """Everything in it can be sent to another process; secrets are no part of it."""

    subject: str
    """For tables."""
    fingerprint: str
    """Changes whenever an answer might; results are kept under it."""
    setting: Setting
    carry_out: Callable[[Unit], Result]
    """Answers one piece of work; its own failures are results."""
    attempts: int = 1
    seconds: float | None = None
    """Wall time after which the process of a piece of work is ended."""
    grace: float = 0.0
    """Seconds more until then."""
    apart: bool = False
    """Whether attempts know nothing of each other, so that each is a piece of work."""

    def units(self, task: Task, root: Path) -> list[Unit]:
        """The pieces of work for a row, whose repository is `root`."""
        shown = visible(task, self.setting)
        if self.apart:
            return [Unit(key=task.key, shown=shown, root=root, attempt=k) for k in range(self.attempts)]
        return [Unit(key=task.key, shown=shown, root=root, attempts=self.attempts)]


def navigator(config: Config) -> Respondent:
    """A navigator of ours."""
    return Respondent(
        subject=config.subject,
        fingerprint=config.fingerprint(),
        setting=config.setting,
        carry_out=functools.partial(answer, config=config),
        attempts=config.attempts,
        seconds=config.max_seconds,
        grace=GRACE_SECONDS,
        apart=config.navigator == "raw",
    )
