"""The boundary to the sandbox as data: what is asked, what comes back, and the methods of an implementation."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, Protocol, TypeVar, runtime_checkable

import msgspec

Network = Literal["none", "install", "full"]
Ended = Literal["exited", "signalled", "timeout", "probe", "out-of-memory", "interrupted"]


MOST_BYTES = 64 * 1024**2
"""How much of one file is brought out unless more is asked for."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a command may use."""

    memory_bytes: int = 4 * 1024**3
    cpus: float = 2.0
    pids: int = 512
    open_files: int = 4096
    disk_bytes: int | None = 32 * 1024**3
    files: int = 1_000_000
    """Files and folders that a sandbox may hold, where the disk is limited."""
    memory_disk_bytes: int = 1024**3
    """Size of each file system that lies in memory, such as /dev/shm."""
    output_bytes: int = 64 * 1024
    """How much of the head and of the tail of each stream is kept in the response; the full log is on disk."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What a sandbox is allowed: network by phase, limits, GPUs."""

    network: Network = "install"
    """none: never; install: while setting up only; full: always."""
    limits: Limits = msgspec.field(default_factory=Limits)
    gpus: str = "none"
    """none, all, or a comma-separated list of device numbers."""
    shown: tuple[Path, ...] = ()
    """Files and folders of the host that are there under their own names, read-only: absolute paths without links."""
    covered: tuple[Path, ...] = ()
    """Folders below the shown ones that are empty there."""
    run_id: str = "adhoc"
    """Label on everything that is made, so that it can be found and removed."""

    def gives_network(self, command: "Command") -> bool:
        """Whether a command gets any network."""
        return self.network == "full" or self.gives_index(command)

    def gives_index(self, command: "Command") -> bool:
        """Whether a command gets the package index, and nothing else of the network."""
        return self.network == "install" and command.install


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One shell command to run in the sandbox."""

    text: str
    """Given to `bash -c`."""
    folder: str = "."
    """Relative to the workspace."""
    timeout: float = 600.0
    """Seconds; the process group is ended inside the sandbox when they are over."""
    environment: Mapping[str, str] = {}
    probe_seconds: float | None = None
    """End a healthy run this many seconds after the program's own code was reached; None never does."""
    install: bool = False
    """Part of set-up: gets the network under policy "install", and the host's package index settings."""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a watched command was seen to do."""

    programs: tuple[str, ...] = ()
    """Files of the repository that ran as programs, in order; `-m NAME` where a module did."""
    loaded: tuple[str, ...] = ()
    """Files of the repository that Python programs had loaded at their end."""
    packages: tuple[str, ...] = ()
    """Installed packages that they had loaded."""
    commands: tuple[str, ...] = ()
    """The simple commands of all shells, as written, without those that a shell saw fail."""
    failed: tuple[str, ...] = ()
    """Programs of the repository that ended with an error, one line each; what a Python program of the repository started is its own matter
    as long as no traceback of it comes out."""
    blind: bool = False
    """A Python program was started of which nothing was noted: nothing can be said of what it did."""
    steps: int = 0
    """Behind how many steps the shell ended itself, for the rest to be run in another one; 0 where it did not."""


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """What a command did."""

    ended: Ended
    exit_code: int | None
    """None unless it exited by itself."""
    signal: int | None = None
    stdout: str = ""
    """Head and tail within the limits, with a line that says what was cut."""
    stderr: str = ""
    error_lines: tuple[str, ...] = ()
    """The lines that say what went wrong: the last traceback, `error:` lines."""
    progress: tuple[str, ...] = ()
    """The last progress lines seen (epoch, loss, step)."""
    started: bool = False
    """The program's own code was reached after argument parsing, then ran without error."""
    log: str = ""
    """Path of the full log on the host."""
    seconds: float = 0.0
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None
    seen: Seen | None = None
    """What its programs did, where it was watched to its end."""
    kept: str = ""
    """Which of its steps were not run again, as their files were kept, and what they took."""

    @property
    def ok(self) -> bool:
        """Whether it exited with status 0, and no program of the repository failed on the way there."""
        return self.ended == "exited" and self.exit_code == 0 and not self.failed

    @property
    def why(self) -> str:
        """The last line that says what went wrong; without one the end of what it said."""
        return self.error_lines[-1] if self.error_lines else self.stderr.strip()[-300:]

    @property
    def failed(self) -> tuple[str, ...]:
        """Programs of the repository that failed, one line each, whatever the shell's last status."""
        return self.seen.failed if self.seen is not None else ()


MOST_TEXT = 100_000
"""Bytes of a command, as JSON: the kernel starts nothing with an argument of 128 KiB, and a warden is told of it in JSON."""


def too_long(command: Command) -> Response | None:
    """What a shell says of a command that the kernel does not start, where it is one."""
    if len(json.dumps([command.text, dict(command.environment)])) <= MOST_TEXT:
        return None
    said = f"bash: the command is longer than {MOST_TEXT:,} bytes: write it into a file and run that"
    return Response(ended="exited", exit_code=126, stderr=f"{said}\n", error_lines=(said,))


Version = tuple[int, int]
SYSTEM_SECONDS = 600.0
"""How long Debian packages may take."""
OnOutput = Callable[[str], None]
"""Called with each decoded chunk of output while a command runs."""


class Sandbox(Protocol):
    """A place with a workspace folder in which commands run apart from the host.

    Implementations raise SandboxUnavailableError from `start`, SandboxLostError from everything else when the place is
    gone. Output in a Response may be cut; only the log on disk is whole. A command's failure is a Response, never an error; only
    Ctrl-C is raised (InterruptedRunError), so that nobody takes it for the program's own failure.
    """

    name: str
    """docker, bubblewrap or process."""
    isolated: bool
    """False where the host's files and network are within reach; the result then says so."""
    policy: Policy

    def start(self) -> None:
        """Make the place; repeatable after `stop`."""

    def put(self, source: Path, target: str) -> None:
        """Copy a file or folder of the host into the workspace; symbolic links that leave `source` are left out."""

    def get(self, path: str, most: int = MOST_BYTES) -> bytes:
        """The bytes of one regular file of the workspace, the first `most`; FileNotFoundError where there is none."""

    def run(self, command: Command, on_output: OnOutput | None = None) -> Response:
        """Run one command to its end, its timeout or its probe; Ctrl-C ends it and is raised again."""

    def begin_clean(self) -> None:
        """Leave nothing of what ran or was put here: no process, no file of workspace and home, no temporary file.

        The environment is as it was kept; one that was not kept is a bare one again.
        """

    def stop(self) -> None:
        """Remove everything that `start` made; repeatable."""

    # Environments are made, changed and kept:

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
        """Keep the environment without its `BUILD_FOLDER`, with a text that `start_with` gives back; outlives the run.

        From now on no command can change it, where the sandbox isolates. Workspace and home are empty afterwards.
        """

    def start_with(self, key: str) -> str | None:
        """Start with what was kept and return its text; None when there is nothing, and nothing was started."""

    def forget_setup(self, key: str) -> None:
        """Remove what was kept."""


T = TypeVar("T")


@runtime_checkable
class RecordedSandbox(Protocol):
    """A sandbox that records what comes of its use, or plays that back."""

    def recorded(self, what: str, live: Callable[[], T], kind: type[T]) -> T:
        """The result of `live()`, recorded as a whole; in a replay the recorded one, and `live` is not called."""


def recorded(sandbox: Sandbox, what: str, live: Callable[[], T], kind: type[T]) -> T:
    """What `live()` gives; where the sandbox is recorded it is one entry, whatever `live` does in the sandbox."""
    return sandbox.recorded(what, live, kind) if isinstance(sandbox, RecordedSandbox) else live()
