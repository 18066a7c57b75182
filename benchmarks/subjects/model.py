"""What a subject is given, and what comes back."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint

Ended = Literal["finished", "failed", "budget", "timeout", "out-of-memory", "lost"]
"""finished: by itself; failed: with an error; budget: a limit refused a request; lost: the sandbox is gone."""
Say = Callable[[str], None]
"""Called with one line about what is under way."""
ANSWER_FILES = ("run.sh", "answer.py")
REPLY_TOKENS = 4096
DEFAULT_LIMITS = Limits(calls=30, seconds=900.0)


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
    writes: tuple[str, ...] = ANSWER_FILES
    """Files that hold the answer, relative to `folder`."""
    limits: Limits = DEFAULT_LIMITS
    """Requests to the model, tokens, USD, seconds: the same rule for every subject, kept from outside."""
    reply_tokens: int = REPLY_TOKENS
    """What one reply of the model may have at most."""
    installs: bool = False
    """Whether it may install packages: then it is told of the host's package index."""


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent's own files say of a run; None where they do not."""

    status: str = ""
    """Its own word for how it ended."""
    limited: bool = False
    """It says that it stopped at a limit."""
    calls: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    answer: str = ""
    """Its last words."""
    trajectory: str = ""
    """Path of its trajectory, relative to what it left behind."""


class SubjectRun(msgspec.Struct, frozen=True, kw_only=True):
    """One finished run."""

    subject: str
    version: str
    ended: Ended
    seconds: float
    calls: int
    prompt_tokens: int
    completion_tokens: int
    """These three are measured between the agent and the endpoint."""
    usd: float | None
    """None where the model's price is unknown."""
    files: Mapping[str, str] = {}
    """Those of the task's `writes` that the agent wrote or changed, by name."""
    reported: Reported = Reported()
    records: Path = Path()
    """Folder of everything below."""
    trajectory: Path | None = None
    """The agent's own."""
    log: Path | None = None
    """The agent's output."""
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


def own_run(label: str, result: Mapping[str, Any], records: Path, seconds: float, error: str) -> SubjectRun:
    """What a run of ML-Agent's own spent, from its run.json (empty where it left none).

    Args:
        label: of the subject.
        result: the content of run.json.
        records: the run's folder.
        seconds: of wall time.
        error: why it failed; "" where it did not.
    """
    budget = result.get("budget", {})
    return SubjectRun(
        subject=label,
        version="",
        ended="failed" if error else "finished",
        seconds=round(seconds, 3),
        calls=budget.get("calls", 0),
        prompt_tokens=budget.get("prompt_tokens", 0),
        completion_tokens=budget.get("completion_tokens", 0),
        usd=result.get("usd", 0.0),
        records=records,
        error=error,
    )
