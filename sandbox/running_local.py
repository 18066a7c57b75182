"""A command that runs on this host under the warden.

`LocalRunning` starts `warden.py`, a program of its own that outlives nothing: it starts the command, watches memory and time, and kills every
descendant at the end or when we are gone. We read both streams, send it signals by a pipe, and get one line about the end.
"""

import json
import os
import re
import select
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from signal import SIGCONT
from typing import IO

import msgspec

from ml_agent.sandbox.cgroups import make_control_group
from ml_agent.sandbox.contract import Limits
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.files import DiskUsage, disk_usage, newer_file
from ml_agent.sandbox.local_place import WRITABLE
from ml_agent.sandbox.output import Stream
from ml_agent.sandbox.supervise import Signal, Status, as_told_by_a_shell
from ml_agent.sandbox.warden import descendants, processor_seconds

WARDEN = Path(__file__).with_name("warden.py")
CHUNK = 64 * 1024
GRACE_SECONDS = 60.0
"""What the warden may take beyond the command's time."""
LATE_SECONDS = 3.0
"""How long what a program printed may be on its way to us after it ended: on a busy machine our threads wait for their turn."""
END_OF_STREAM = b""
_UNDERWAY = re.compile(r"^scm_fds:\s*[1-9]", re.MULTILINE)
"""Of a socket in which open files wait to be received."""
_IN_MEMORY = re.compile(r"\s/(?:memfd:|dev/|SYSV|anon_hugepage)")


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """What the warden shall run."""

    arguments: tuple[str, ...]
    folder: str
    environment: Mapping[str, str]
    timeout: float
    """Seconds."""
    limits: Limits
    workspace: Path
    """Where written files are looked for."""
    counted: tuple[Path, ...] = ()
    """Folders beside it that it may fill."""
    files: Mapping[int, Path] = {}
    """Files that it finds open, by descriptor."""


class LocalRunning:
    """Follows a warden; see `supervise.Running`."""

    def __init__(self, launch: Launch) -> None:
        self._workspace, self._counted = launch.workspace, launch.counted
        self._deadline = time.monotonic() + launch.timeout + GRACE_SECONDS
        self._group = make_control_group(launch.limits)
        self._began_ns = _now_ns(launch.workspace.parent)
        self._queue: Queue[tuple[Stream, bytes]] = Queue(maxsize=64)
        self._open_streams = 2
        control_read, self._control = os.pipe()
        self._status, status_write = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(WARDEN), str(control_read), str(status_write), self._spec(launch)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(control_read, status_write),
                start_new_session=True,
                env={},
            )
        finally:
            os.close(control_read)
            os.close(status_write)
        self._readers = [self._reader("stdout", self._process.stdout), self._reader("stderr", self._process.stderr)]

    def read(self, timeout: float) -> tuple[Stream, bytes] | None:
        """The next chunk of output."""
        while self._open_streams:
            try:
                stream, data = self._queue.get(timeout=timeout)
            except Empty:
                if self._process.poll() is None:
                    raise
                if (last := self._late()) is None:
                    return None
                stream, data = last
            if data != END_OF_STREAM:
                return stream, data
            self._open_streams -= 1
        return None

    def _late(self) -> tuple[Stream, bytes] | None:
        """What was printed last and is still on its way; None where nothing comes, and something else holds the streams open."""
        try:
            return self._queue.get(timeout=LATE_SECONDS)
        except Empty:
            return None

    def send(self, signal: Signal) -> None:
        """Ask the warden to send a signal; it is woken first, for a program may have stopped it."""
        with suppress(BrokenPipeError, ProcessLookupError):
            os.kill(self._process.pid, SIGCONT)
            os.write(self._control, signal[0].lower().encode())

    def cpu_seconds(self) -> float | None:
        """Processor time of everything below the warden."""
        return processor_seconds(descendants(self._process.pid))

    def wrote(self) -> bool:
        """Whether a file of the workspace is newer than the command."""
        return newer_file(self._workspace, self._began_ns)

    def disk(self) -> DiskUsage | None:
        """What the files of the place take; the environment's, too, and those that have no name any more."""
        place = self._workspace.parent
        named = disk_usage([*(place / part for part in WRITABLE), *self._counted])
        nameless, all_seen = nameless_bytes(descendants(self._process.pid), place.stat().st_dev)
        return DiskUsage(named.size + nameless, named.files, named.whole and all_seen)

    def free(self) -> int | None:
        """Bytes that are free where the place lies."""
        found = os.statvfs(self._workspace.parent)
        return found.f_bavail * found.f_frsize

    def finish(self) -> Status:
        """Wait for the warden's report; SandboxLostError where it does not come in time."""
        try:
            while self.read(timeout=GRACE_SECONDS) is not None:
                pass
            report = self._report()
            self._process.wait(timeout=GRACE_SECONDS)
        except (Empty, subprocess.TimeoutExpired) as error:
            self._process.kill()
            self._group.kill()
            self._group.close()
            raise SandboxLostError(
                "the process that supervises the command did not end in time; this sandbox runs nothing more"
            ) from error
        finally:
            os.close(self._status)
            os.close(self._control)
        for reader in self._readers:
            reader.join(timeout=1)
        out_of_memory, peak = self._group.out_of_memory(), self._group.peak_memory_bytes()
        self._group.kill()
        self._group.close()
        if not report:
            raise SandboxLostError("the process that supervised the command has disappeared")
        return _status(json.loads(report), out_of_memory, peak)

    def _report(self) -> bytes:
        """The warden's line; empty where it ended without one. Raises Empty where none comes in time."""
        data = b""
        while not data.endswith(b"\n"):
            left = min(max(0.0, self._deadline - time.monotonic()), threading.TIMEOUT_MAX)
            if not select.select([self._status], [], [], left)[0]:
                raise Empty
            part = os.read(self._status, CHUNK)
            if not part:
                break
            data += part
        return data

    def _spec(self, launch: Launch) -> str:
        limits = launch.limits
        rlimits = {"RLIMIT_NOFILE": limits.open_files, "RLIMIT_CORE": 0}
        if limits.disk_bytes is not None:
            rlimits["RLIMIT_FSIZE"] = limits.disk_bytes
        in_kernel = bool(self._group.folders)
        return json.dumps(
            {
                "arguments": launch.arguments,
                "folder": launch.folder,
                "environment": dict(launch.environment),
                "timeout": launch.timeout,
                "rlimits": rlimits,
                "memory_bytes": None if in_kernel else limits.memory_bytes,
                "pids": None if in_kernel else limits.pids,
                "processors": _processors(limits.cpus),
                "cgroups": [str(folder) for folder in self._group.folders],
                "files": {str(number): str(path) for number, path in launch.files.items()},
            }
        )

    def _reader(self, stream: Stream, pipe: IO[bytes] | None) -> threading.Thread:
        assert pipe is not None

        def read_all() -> None:
            with pipe:
                while data := os.read(pipe.fileno(), CHUNK):
                    self._queue.put((stream, data))
            self._queue.put((stream, END_OF_STREAM))

        thread = threading.Thread(target=read_all, name=f"sandbox-{stream}", daemon=True)
        thread.start()
        return thread


def nameless_bytes(pids: Iterable[int], device: int) -> tuple[int, bool]:
    """What files without a name take on a device that processes hold open; and whether everything they hold could be seen."""
    sizes: dict[int, int] = {}
    all_seen = True
    for folder in (folder for pid in pids for folder in Path(f"/proc/{pid}/task").glob("*/fd")):
        try:
            held = list(folder.iterdir())
            all_seen &= not _maps_nameless(folder.with_name("maps"))
        except FileNotFoundError:  # it ended meanwhile
            continue
        except OSError:
            all_seen = False
            continue
        for link in held:
            with suppress(FileNotFoundError):
                found = link.stat()
                if stat.S_ISREG(found.st_mode) and found.st_nlink == 0 and found.st_dev == device:
                    sizes[found.st_ino] = found.st_blocks * 512
                elif stat.S_ISSOCK(found.st_mode):
                    about = folder.with_name("fdinfo") / link.name
                    all_seen &= _UNDERWAY.search(about.read_text()) is None
    return sum(sizes.values()), all_seen


def _maps_nameless(maps: Path) -> bool:
    """Whether a process has a file in memory that has no name any more: how large it is nobody is told."""
    return any(line.endswith("(deleted)") and not _IN_MEMORY.search(line) for line in maps.read_text().splitlines())


def _status(report: dict[str, object], out_of_memory: bool, peak: int | None) -> Status:
    status = as_told_by_a_shell(msgspec.convert(report, Status))
    failed = status.exit_code != 0
    return msgspec.structs.replace(
        status,
        out_of_memory=status.out_of_memory or (out_of_memory and failed),
        peak_memory_bytes=peak or status.peak_memory_bytes,
    )


def _processors(cpus: float) -> list[int]:
    available = sorted(os.sched_getaffinity(0))
    wanted = max(1, round(cpus))
    return available if wanted >= len(available) else available[:wanted]


def _now_ns(folder: Path) -> int:
    """The file system's own time, which may differ from the clock's by a tick; `folder` is no program's to write in."""
    marker = folder / f".ml-agent-{os.getpid()}-{threading.get_ident()}"
    marker.touch()
    began = marker.stat().st_mtime_ns
    marker.unlink()
    return began
