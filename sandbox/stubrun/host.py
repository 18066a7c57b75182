"""The host side: start the child in a bare interpreter, apart from everything, and read its report."""

import functools
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec

from ml_agent.sandbox.bubblewrap import succeeds, system_folders

Mode = Literal["describe", "parse", "run", "functions"]
Status = Literal["described", "parsed", "rejected", "help", "exited", "error", "timeout", "lost"]
CHILD = Path(__file__).with_name("child.py")
REPORT_BYTES = 16 << 20
GRACE_SECONDS = 3.0
"""What the child may take beyond its own time: to start, and to end once it was killed."""
_HIDE = """
for place in /run /var/run; do [ -L $place ] || mount -t tmpfs none $place || exit 1; done
exec "$@"
"""


class StubRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to run under stubs."""

    root: str
    """The repository's folder, absolute."""
    script: str
    """Relative to the root; with `module` the file that it resolves to, or ""."""
    words: tuple[str, ...] = ()
    """The words after the script on the command line."""
    mode: Mode = "describe"
    workdir: str = "."
    """Relative to the root."""
    module: str = ""
    """Run it as `python -m module`."""
    paths: tuple[str, ...] = (".", "src")
    """More folders of the root to import from, after the script's own."""
    timeout: float = 10.0
    """Seconds."""


class StubReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen."""

    status: Status
    """described/parsed: reached; rejected: the parser refused the words (message); help: it printed its help or version;
    exited, error: the script ended or raised before (mode run: after) parsing; lost: the child died."""
    message: str = ""
    parsers: tuple[dict[str, Any], ...] = ()
    """framework, strict, subcommand, handed (foreign functions that were given the parser), allow_abbrev, options
    (fields as in a signature's option, and default_known, action, converter), subparsers, description."""
    asked: bool = False
    """Whether a parser was asked to parse the command line; otherwise `parsers` were only made."""
    made: int = 0
    namespace: dict[str, Any] | None = None
    """The parsed values."""
    unknown: tuple[str, ...] = ()
    """Words that parse_known_args left over."""
    exception: dict[str, Any] | None = None
    """type, message, file, line (deepest line of the repository)."""
    stubbed: dict[str, str] = {}
    """Module -> why it is a stub: "not installed", or what it raised when imported."""


@functools.cache
def isolation() -> tuple[str, ...]:
    """The words that start a program without network and without a way to change or reach anything, as far as this machine can.

    After bubblewrap's words come those of `shown`, which say what it sees; `unshare` sees the file system, but for the
    folders in which services of the machine, a container engine among them, have their sockets.
    """
    candidates = (
        ("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"),
        ("unshare", "--map-root-user", "--net", "--mount", "sh", "-c", _HIDE, "sh"),
    )  # fmt: skip
    for name, *options in candidates:
        program = shutil.which(name)
        if program is None:
            continue
        if succeeds([program, *options, *(_system() if name == "bwrap" else []), "true"], _environment()):
            return (program, *options)
    return ()


def shown(words: tuple[str, ...], *folders: str) -> list[str]:
    """Words after those of `isolation`: programs and libraries of the system and `folders`, all read-only, and nothing else."""
    if not words or Path(words[0]).name != "bwrap":
        return []
    line = [*_system(), "--tmpfs", "/tmp"]
    for folder in dict.fromkeys(folders):
        if not Path(folder).is_relative_to("/usr"):
            line += ["--ro-bind", folder, folder]
    return line


def _system() -> list[str]:
    line = ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--ro-bind", "/usr", "/usr"]
    return line + system_folders(("/bin", "/sbin", "/lib", "/lib32", "/lib64"))


def bare_python() -> str:
    """The interpreter under ours, without any virtual environment."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    own = Path(sys.base_prefix, "bin", name)
    return str(own if own.exists() else Path(os.path.realpath(sys.executable)))


def run_stubbed(request: StubRequest) -> StubReport:
    """Run one script under stubs; never raises for anything that the script does.

    Its timeout is in seconds, and the host waits a little longer.
    """
    payload, words = msgspec.json.encode(request).decode(), isolation()
    walls = [*words, *shown(words, sys.base_prefix, str(CHILD.parent), os.path.realpath(request.root))]
    read, write = os.pipe()
    command = [*walls, os.path.realpath(bare_python()), "-I", "-S", "-B", str(CHILD), payload, str(write)]
    with os.fdopen(read, "rb"):
        try:
            process = subprocess.Popen(
                command, env=_environment(), cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, pass_fds=(write,), start_new_session=True,
            )  # fmt: skip
        finally:
            os.close(write)
        try:
            data = _report(read, request.timeout + GRACE_SECONDS)
        finally:
            _kill(process)
    if data is None:
        return StubReport(status="lost", message=f"the child did not end within {request.timeout:g} s, and was killed")
    try:
        return msgspec.json.decode(data, type=StubReport)
    except msgspec.DecodeError:
        return StubReport(status="lost", message=f"the child ended with status {process.returncode}")


def _report(pipe: int, seconds: float) -> bytes | None:
    """What comes until the pipe's end; None where that does not come in time, whoever holds it."""
    data, deadline = bytearray(), time.monotonic() + seconds
    while len(data) < REPORT_BYTES:
        if not select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return None
        part = os.read(pipe, 1 << 16)
        if not part:
            break
        data += part
    return bytes(data)


def _environment() -> Mapping[str, str]:
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/nonexistent",
        "CUDA_VISIBLE_DEVICES": "",
    }


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the child's process group, where it is still there; what the kernel does not let go of is left behind."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=0.5)
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=GRACE_SECONDS)
