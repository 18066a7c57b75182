"""Running git to fetch into a folder of our own: nobody's configuration, no keys, no prompts, a deadline and a size cap.

Git is never run in a work tree that somebody else made (`tools.work_tree` reads those).
"""

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE, TimeoutExpired
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec

from ml_agent.tools.errors import RepositoryError, UnsafeUrlError
from ml_agent.tools.walk import Walk

POLL_SECONDS = 0.2
KILL_SECONDS = 10.0
"""What a killed git may take to be gone; what waits for a disk that does not answer takes longer, and is left behind."""
HARDENED = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    # Large files stay pointers even where the user's own settings would download them.
    "filter.lfs.smudge": "",
    "filter.lfs.process": "",
    "filter.lfs.clean": "",
    "filter.lfs.required": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "advice.detachedHead": "false",
}
ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
    "HOME": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GCM_INTERACTIVE": "never",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_HTTP_LOW_SPEED_LIMIT": "1000",
    "GIT_HTTP_LOW_SPEED_TIME": "60",
}
PASSED = (
    "PATH", "TMPDIR", "GIT_EXEC_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "CURL_CA_BUNDLE",
    *(f"{name}_proxy" for name in ("http", "https", "all", "no")), "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
)  # fmt: skip
"""All that git gets of our own environment: where programs are, and how the network is reached."""
HEADER_VARIABLE = "ML_AGENT_GIT_HEADER"
Act = Literal["init", "ls-remote", "fetch", "checkout"]
ACTS: Mapping[Act, tuple[str, ...]] = {
    "init": ("init", "--quiet", "--template="),
    "ls-remote": ("ls-remote", "--"),
    "fetch": ("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--"),
    "checkout": ("checkout", "--quiet", "--force", "--detach"),
}
"""All that git is asked to do, with every option that it gets."""


@dataclass(frozen=True, slots=True)
class Operand:
    """What git is given of others: an address, a reference, a commit; never an option. UnsafeUrlError says what is none."""

    text: str

    def __post_init__(self) -> None:
        if not self.text or self.text.startswith("-") or not self.text.isprintable():
            raise UnsafeUrlError(
                f"{self.text!r} cannot be given to git: it must be printable and not begin with a dash"
            )


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one git operation may use."""

    deadline: float
    """On the monotonic clock, in seconds."""
    max_bytes: int = 0
    """How large `folder` may grow; 0 does not look."""
    folder: Path | None = None


class Output(NamedTuple):
    """What git answered."""

    status: int
    stdout: bytes
    stderr: str


class DeadlineError(RepositoryError):
    """Git did not finish in time."""


class SizeError(RepositoryError):
    """Git brought more than it may."""


class Git:
    """Git in one folder (or in none), with hardened settings.

    `header` is sent to `header_url` only, and reaches git through the environment, where other users cannot read it.
    """

    def __init__(self, folder: Path, *, protocol: str = "", header: str = "", header_url: str = "") -> None:
        self._folder = folder
        self._settings: dict[str, str] = dict(HARDENED)
        self._environment: dict[str, str] = {
            **{name: os.environ[name] for name in PASSED if name in os.environ},
            **ENVIRONMENT,
            "GIT_ALLOW_PROTOCOL": protocol or "none",
            # Said outright, so that git looks in no folder above and obeys no GIT_DIR that we were started with.
            "GIT_DIR": str(folder / ".git"),
            "GIT_WORK_TREE": str(folder),
        }
        self._options: list[str] = []
        if header:
            self._environment[HEADER_VARIABLE] = header
            self._options.append(f"--config-env=http.{header_url}.extraHeader={HEADER_VARIABLE}")

    def run(self, act: Act, limits: Limits, *operands: Operand) -> Output:
        """Run git; whatever it starts is killed at the deadline or at the size cap.

        Raises DeadlineError, SizeError, and RepositoryError where git is not installed.
        """
        settings = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        command = ["git", *settings, *self._options, *ACTS[act], *(one.text for one in operands)]
        try:
            process = subprocess.Popen(
                command, cwd=self._folder, env=self._environment, stdin=DEVNULL, stdout=PIPE, stderr=PIPE,
                start_new_session=True,
            )  # fmt: skip
        except FileNotFoundError as error:
            raise RepositoryError("git is not installed: install it (apt-get install git)") from error
        return _watch(process, limits)


def _watch(process: "subprocess.Popen[bytes]", limits: Limits) -> Output:
    try:
        while True:
            try:
                out, err = process.communicate(timeout=max(0.01, min(POLL_SECONDS, limits.deadline - time.monotonic())))
            except TimeoutExpired:
                _enforce(limits)
                continue
            _enforce(limits, ended=True)
            return Output(process.returncode, out, err.decode("utf-8", errors="replace"))
    finally:
        if process.poll() is None:
            _kill_session(process)


def _enforce(limits: Limits, *, ended: bool = False) -> None:
    if not ended and time.monotonic() >= limits.deadline:
        raise DeadlineError("git did not finish")
    if limits.folder is not None and limits.max_bytes:
        size = sum(entry.status.st_size for entry in Walk(limits.folder) if not entry.is_folder)
        if size > limits.max_bytes:
            raise SizeError("the repository is too large")


def _kill_session(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):  # it ended just now
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(TimeoutExpired):  # why it was killed is said already
        process.communicate(timeout=KILL_SECONDS)


def mask_url(url: str) -> str:
    """A URL without user name, password and query, fit to be shown."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "(a malformed URL)"
    if not parts.scheme or "@" not in parts.netloc:
        return url.split("?", 1)[0] if parts.scheme else url
    return parts._replace(netloc=parts.netloc.rsplit("@", 1)[1], query="", fragment="").geturl()
