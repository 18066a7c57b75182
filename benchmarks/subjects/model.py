"""What a subject is given, and what comes back."""

from collections.abc import Callable, Mapping

import msgspec

from ml_agent.benchmarks.predictions import Ended, Usage
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint

Say = Callable[[str], None]
"""Called with one line about what is under way."""


def silent(_line: str) -> None:
    """Say nothing."""


class SubjectTask(msgspec.Struct, frozen=True, kw_only=True):
    """One task for an agent in a sandbox that already holds the repository."""

    text: str
    """All that the agent is told."""
    endpoint: Endpoint
    """The model; the agent itself never sees the key."""
    folder: str = "."
    """Where the agent starts, relative to the workspace."""
    writes: tuple[str, ...] = ("run.sh", "answer.py")
    """Files that hold the answer, relative to `folder`."""
    limits: Limits = Limits()
    """Requests to the model, tokens, USD, seconds: the same rule for every subject, kept from outside."""


class SubjectRun(msgspec.Struct, frozen=True, kw_only=True):
    """One finished run."""

    ended: Ended
    usage: Usage = Usage()
    """Measured between the agent and the endpoint."""
    files: Mapping[str, str] = {}
    """Those of the task's `writes` that the agent wrote or changed, by name."""
    claim: bool | None = None
    """The agent's own word: whether the results are there and right; None where it gives none."""
    error: str = ""
    """One line, empty where all went well."""
    trouble: str = ""
    """What the endpoint said where its last reply was no answer: then it is not the agent that failed."""


class Inside(msgspec.Struct, frozen=True, kw_only=True):
    """Where things are for a process in the sandbox; absolute paths."""

    workspace: str
    programs: str
    """Folder of the programs of the agent's environment."""
    source: str
    """The checkout that it was installed from, where there is one."""
    own: str
    """The agent's own folder: what it leaves in `home` and `records` below it is brought out."""
    base_url: str
    token: str
    """Stands for the key; good for this run only."""

    @property
    def home(self) -> str:
        """For HOME."""
        return f"{self.own}/home"

    @property
    def files(self) -> str:
        """Where the launch's files are."""
        return f"{self.own}/files"


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent is started."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    """Text files by name, put into `Inside.files` first."""
