"""What our sandboxes can do beyond the contract; a sandbox without it can still run commands."""

from collections.abc import Callable
from typing import Protocol, TypeVar, runtime_checkable

from ml_agent.sandbox.contract import Policy, Response, Sandbox

T = TypeVar("T")

Version = tuple[int, int]
SYSTEM_SECONDS = 600.0
"""How long Debian packages may take."""


@runtime_checkable
class EnvironmentSandbox(Protocol):
    """A sandbox in which environments can be made, changed and kept."""

    policy: Policy

    @property
    def base(self) -> str:
        """What its environments are built upon; part of the name under which they are kept."""

    def pythons(self) -> tuple[Version, ...]:
        """Versions of Python that it can have."""

    def python_version(self) -> Version:
        """The version that commands find as `python`; known before it is started."""

    def use_python(self, version: Version) -> None:
        """Take this version from the next start on. Raises SandboxUnavailableError."""

    def install_system(self, packages: tuple[str, ...], seconds: float = SYSTEM_SECONDS) -> Response:
        """Install Debian packages, within so many seconds. Where that cannot be, a response that failed and says so."""

    def keep_setup(self, key: str, note: str) -> None:
        """Keep the environment, with a text that `start_with` gives back; outlives the run.

        From now on no command can change it, where the sandbox isolates. Workspace and home are empty afterwards.
        """

    def start_with(self, key: str) -> str | None:
        """Start with what was kept and return its text; None when there is nothing, and nothing was started."""

    def forget_setup(self, key: str) -> None:
        """Remove what was kept."""


@runtime_checkable
class RecordedSandbox(Protocol):
    """A sandbox that records what comes of its use, or plays that back."""

    def recorded(self, what: str, live: Callable[[], T], kind: type[T]) -> T:
        """The result of `live()`, recorded as a whole; in a replay the recorded one, and `live` is not called."""


def recorded(sandbox: Sandbox, what: str, live: Callable[[], T], kind: type[T]) -> T:
    """What `live()` gives; where the sandbox is recorded it is one entry, whatever `live` does in the sandbox."""
    return sandbox.recorded(what, live, kind) if isinstance(sandbox, RecordedSandbox) else live()
