"""Every way a run can end, with its name and exit code."""

from enum import Enum

from ml_agent.errors import BudgetExceededError


class Ending(Enum):
    """Name of the ending as it stands in run.json, and the exit code."""

    PROVEN = ("proven", 0)
    """The level of evidence that was asked for was reached."""
    NOT_PROVEN = ("not-proven", 1)
    """There is an answer, but it did not get as far as was asked."""
    NO_REPOSITORY = ("no-repository", 1)
    """No candidate can do the task."""
    NO_ANSWER = ("no-answer", 1)
    """Repositories were read, but no sound answer was found."""
    BUDGET = ("budget", BudgetExceededError.exit_code)
    """A limit was reached first."""

    @property
    def label(self) -> str:
        """The name as it is recorded."""
        return self.value[0]

    @property
    def exit_code(self) -> int:
        """The exit code of the command line."""
        return self.value[1]

    @classmethod
    def named(cls, label: str) -> "Ending":
        """The ending of that name; KeyError for an unknown one."""
        return {ending.label: ending for ending in cls}[label]
