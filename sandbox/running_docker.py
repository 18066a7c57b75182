"""A command that runs in a container.

`DockerRunning` starts it by an exec of the engine, behind a script of ours (`WRAPPER`) that ends it in time, kills what it left, and prints last what
the control group counted. Signals, disk and processor time are asked for by further short execs, so that it works with an engine anywhere.
"""

import os
import re
import threading
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import docker
import msgspec
from docker.errors import DockerException
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from ml_agent.sandbox.docker_exec import Allowed, ExecStream, run_short
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.files import NOT_OUTPUT, NOT_OUTPUT_ENDINGS, DiskUsage
from ml_agent.sandbox.output import Stream
from ml_agent.sandbox.supervise import Signal, Status, as_told_by_a_shell

USER = "1000:1000"
BASH = "/bin/bash"
"""By its path: a program may put another `bash` where names are looked up."""
KILL_AFTER = 2
"""Seconds between TERM and KILL."""

# Runs inside, as the commands' user. Builtins only after the command: at the limit of processes nothing can be forked.
# The last line of stderr carries what the control group counted: a program can forge it, and believes itself ill or idle.
# How it ended is asked of the engine. `kill -1` spares the shell that sends it, and what that
# shell itself says ("Killed") is no output of the command.
WRAPPER = """
count() {
  local name value file; ooms=0 cpu=0 peak=0
  for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r $file ] && while read -r name value; do [ $name = oom_kill ] && ooms=$value; done <$file
  done
  [ -r /sys/fs/cgroup/cpu.stat ] && while read -r name value; do [ $name = usage_usec ] && cpu=$value; done </sys/fs/cgroup/cpu.stat
  [ -r /sys/fs/cgroup/cpuacct/cpuacct.usage ] && read -r value </sys/fs/cgroup/cpuacct/cpuacct.usage && cpu=$((value / 1000))
  for file in /sys/fs/cgroup/memory.peak /sys/fs/cgroup/memory/memory.max_usage_in_bytes; do
    [ -r $file ] && read -r peak <$file
  done
}
trap : TERM INT HUP
count; ooms_before=$ooms cpu_before=$cpu peak_before=$peak
: >/tmp/.ml-agent-began
exec 3>&2 2>/dev/null
/usr/bin/timeout -k KILL_AFTER "$2" /bin/bash -c "$3" </dev/null 2>&3 3>&-
code=$?
kill -KILL -1
count
printf '\\n%s %s %s %s %s %s\\n' "$1" $code $((ooms - ooms_before)) $((cpu - cpu_before)) $peak $peak_before >&3
exit $code
""".replace("KILL_AFTER", str(KILL_AFTER))
WROTE = (
    f"/usr/bin/find /workspace \\( {' -o '.join(f'-name {name}' for name in sorted(NOT_OUTPUT))} \\) -prune -o -type f -size +0 "
    + " ".join(f"! -name '*{ending}'" for ending in NOT_OUTPUT_ENDINGS)
    + " -newer /tmp/.ml-agent-began -print -quit"
)
# `timeout` passes what it gets on to its command and to the whole group: a program that it heard from too would be asked
# three times, and stopped while it saves.
ASK = """
for folder in /proc/[0-9]*; do
  pid=${folder#/proc/} name=
  read -r name <$folder/comm
  [ "$name" = timeout ] || [ $pid = $$ ] || kill -SIGNAL $pid
done
"""
USED = """
PATH=/usr/bin:/bin LC_ALL=C IFS=$'\\n'
exec 2>/dev/null
own=$(id -u) hidden=
places=($(find / -xdev -type d -writable -prune -print))
bytes=$(du -s -c -x -B 1 "${places[@]}" | tail -n 1) files=$(du --inodes -s -c -x "${places[@]}" | tail -n 1)
bytes=${bytes%%[!0-9]*} files=${files%%[!0-9]*}
while read -r blocks; do ((bytes += 512 * ${blocks#* })); done < <(
  find /proc/[0-9]*/task/[0-9]*/fd -maxdepth 1 -lname '/*(deleted)' ! -lname '/memfd:*' ! -lname '/dev/*' ! -lname '/SYSV*' -print0 |
    xargs -0 -r stat -L -c '%h %d:%i %b' | grep '^0 ' | cut -d ' ' -f 2- | sort -u)
for status in $(grep -ls "^Uid:[[:space:]]*$own[[:space:]]" /proc/[0-9]*/status); do [ -r ${status%status}fd ] || hidden=1; done
[ "$hidden" ] || hidden=$(find / -xdev -user $own -type d ! '(' -readable -executable ')' -print -quit)
[ "$hidden" ] || hidden=$(grep -hs '(deleted)$' /proc/[0-9]*/maps | grep -vE ' /(memfd:|dev/|SYSV|anon_hugepage)')
[ "$hidden" ] || hidden=$(find /proc/[0-9]*/task/[0-9]*/fdinfo -type f -exec grep -ls '^scm_fds:[[:space:]]*[1-9]' {} +)
echo "$bytes $files ${hidden:+not }all"
"""
"""Prints the bytes and the number of the files that commands could write, open ones without a name among them, and whether all could be seen."""
COUNTERS = (
    "/sys/fs/cgroup/cpuacct/docker/{}/cpuacct.usage",
    "/sys/fs/cgroup/system.slice/docker-{}.scope/cpu.stat",
    "/sys/fs/cgroup/docker/{}/cpu.stat",
    "/sys/fs/cgroup/cpuacct/libpod_parent/libpod-{}/cpuacct.usage",
    "/sys/fs/cgroup/machine.slice/libpod-{}.scope/cpu.stat",
    "/sys/fs/cgroup/libpod_parent/libpod-{}/cpu.stat",
)
"""Where an engine on this machine counts a container's processor time; asking the engine itself takes a second, and
each look inside is counted, too: under Podman an idle program seemed to work."""
LOOK = Allowed(seconds=20.0)
"""What is asked while a command runs, whose time goes on meanwhile."""
GRACE_SECONDS = 60.0
"""How long after the command's time the engine may take to end its output."""
MOST_TRAILER = 300
"""Bytes of the trailer."""
_COUNTED = re.compile(r"(\d+) (\d+) (not all|all)\s*")
_GONE = re.compile(
    r"is not running|No such container|no such container|No such exec|is paused|dead or marked", re.IGNORECASE
)


class Exec(msgspec.Struct, frozen=True, kw_only=True):
    """What shall run in a container."""

    container: str
    text: str
    folder: str
    """Absolute path inside."""
    environment: Mapping[str, str]
    timeout: float
    """Seconds."""
    probing: bool = False
    """Whether the processor time is worth a look inside while it runs."""
    store: Path | None = None
    """Folder of this machine in which the engine keeps its containers; None where it is not known."""


class DockerRunning:
    """Follows one exec; see `supervise.Running`."""

    def __init__(self, client: docker.DockerClient, job: Exec) -> None:
        self._client = client
        self._api: Any = client.api
        self._job = job
        self._nonce = uuid.uuid4().hex
        self._trailer = _Trailer(b"\n" + self._nonce.encode())
        self._queue: Queue[tuple[Stream, bytes] | None] = Queue(maxsize=64)
        self._began = time.monotonic()
        self._error: Exception | None = None
        self._done = False
        self._counters = [Path(pattern.format(job.container)) for pattern in COUNTERS]
        limit = f"{max(job.timeout, 0.1):.2f}"
        arguments = [BASH, "-c", WRAPPER, "ml-agent", self._nonce, limit, job.text]
        try:
            self._id = self._api.exec_create(
                job.container, arguments, user=USER, workdir=job.folder, environment=dict(job.environment)
            )["Id"]
            self._stream = ExecStream(client, self._id, job.timeout + GRACE_SECONDS)
        except (DockerException, RequestException) as error:
            raise _lost_error(error) from error
        self._thread = threading.Thread(target=self._read_all, name="sandbox-exec", daemon=True)
        self._thread.start()

    def read(self, timeout: float) -> tuple[Stream, bytes] | None:
        """The next chunk of output."""
        if self._done:
            return None
        chunk = self._queue.get(timeout=timeout)
        self._done = chunk is None
        return chunk

    def send(self, signal: Signal) -> None:
        """Send a signal once to all processes of the commands' user; the container's main process is root's."""
        self._quiet("kill -KILL -1" if signal == "KILL" else ASK.replace("SIGNAL", signal))

    def cpu_seconds(self) -> float | None:
        """Processor time of the container so far: read on this host where it can be, else inside while probing."""
        text = next(filter(None, map(_content, self._counters)), "")
        if not text and self._job.probing:
            text = self._quiet("cat /sys/fs/cgroup/cpu.stat || cat /sys/fs/cgroup/cpuacct/cpuacct.usage")
        usage = re.match(r"usage_usec (\d+)", text)
        if usage:
            return int(usage[1]) / 1e6
        return int(text) / 1e9 if text.strip().isdigit() else None

    def wrote(self) -> bool:
        """Whether a file of the workspace is newer than the command."""
        return bool(self._quiet(WROTE).strip())

    def disk(self) -> DiskUsage | None:
        """What the container's files take, as the engine counts those beyond its image, and as they are counted inside."""
        try:
            found = self._api.containers(all=True, size=True, filters={"id": self._job.container})
        except (DockerException, RequestException):
            return None
        size = int(found[0].get("SizeRw") or 0) if found else 0
        inside = _COUNTED.fullmatch(self._quiet(USED))
        if inside is None:  # a program that leaves no room for another process is not seen from inside
            return DiskUsage(size, 0, whole=False)
        return DiskUsage(max(size, int(inside[1])), int(inside[2]), inside[3] == "all")

    def free(self) -> int | None:
        """Bytes that are free where the engine keeps its containers."""
        if self._job.store is not None:
            found = os.statvfs(self._job.store)
            return found.f_bavail * found.f_frsize
        said = self._quiet("/usr/bin/stat -f -c '%a %S' /").split()
        return int(said[0]) * int(said[1]) if len(said) == 2 and all(word.isdigit() for word in said) else None

    def finish(self) -> Status:
        """Wait for the exec's end, then sweep."""
        while True:
            try:
                if self.read(timeout=60) is None:
                    break
            except Empty as error:
                raise SandboxLostError(
                    "the command has ended, but the container engine still waits for its output"
                ) from error
        self._thread.join(timeout=5)
        if self._error is not None:
            raise _lost_error(self._error) from self._error
        elapsed = time.monotonic() - self._began
        report, code = self._trailer.report(), self._exit_code()
        if report is None:
            self.send("KILL")
            return _status(code, elapsed, self._job.timeout)
        _, ooms, cpu, peak, before = report
        return msgspec.structs.replace(
            _status(code, elapsed, self._job.timeout),
            out_of_memory=ooms > 0 and code != 0,
            cpu_seconds=cpu / 1e6,
            peak_memory_bytes=peak if peak > before else None,
        )

    def _read_all(self) -> None:
        try:
            for stream, data in self._stream:
                own = data if stream == "stdout" else self._trailer.feed(data)
                if own:
                    self._queue.put((stream, own))
        except (DockerException, RequestException, HTTPError, OSError, ValueError) as error:
            self._error = error
        finally:
            self._stream.close()
            if rest := self._trailer.rest():
                self._queue.put(("stderr", rest))
            self._queue.put(None)

    def _exit_code(self) -> int:
        """The exec's own exit code; it is running for a moment longer than its output."""
        try:
            for _ in range(500):
                found = self._api.exec_inspect(self._id)
                if not found["Running"]:
                    if not self._api.inspect_container(self._job.container)["State"]["Running"]:
                        raise SandboxLostError("the container has stopped")
                    return int(found["ExitCode"])
                time.sleep(0.01)
        except (DockerException, RequestException) as error:
            raise _lost_error(error) from error
        raise SandboxLostError("the command goes on, although its output has ended")

    def _quiet(self, text: str) -> str:
        """Run a command of our own beside the one that runs; what it printed, empty when it could not run."""
        try:
            done = run_short(self._client, self._job.container, [BASH, "-c", text], USER, LOOK)
            return done.stdout.decode("utf-8", "replace")
        except (DockerException, RequestException, HTTPError):
            return ""


class _Trailer:
    """Takes the wrapper's last line out of the stream; one that more output follows is a program's own."""

    def __init__(self, marker: bytes) -> None:
        self._marker = marker
        self._held = b""
        self._found = False

    def feed(self, data: bytes) -> bytes:
        """What of the data is the command's own; the rest is held."""
        data = self._held + data
        at = data.rfind(self._marker)
        self._found = at >= 0
        if not self._found:
            fits = (
                size for size in range(min(len(self._marker), len(data)), 0, -1) if data.endswith(self._marker[:size])
            )
            at = len(data) - next(fits, 0)
        elif len(data) - at > MOST_TRAILER:
            self._found, at = False, len(data)
        self._held = data[at:]
        return data[:at]

    def rest(self) -> bytes:
        """What was held although no trailer came."""
        return b"" if self._found else self._held

    def report(self) -> list[int] | None:
        """Exit code, kills for want of memory, microseconds of processor, bytes at the peak and at the peak before."""
        if not self._found:
            return None
        words = self._held.split()
        return [int(word) for word in words[1:6]] if len(words) >= 6 else None


def _content(file: Path) -> str:
    """A file of the kernel's; "" where there is none, or none any more: a container may end at any time."""
    try:
        return file.read_text()
    except OSError:
        return ""


def _status(code: int, elapsed: float, timeout: float) -> Status:
    timed_out = code in (124, 137) and elapsed >= timeout
    return as_told_by_a_shell(Status(exit_code=code, timed_out=timed_out))


def _lost_error(error: Exception) -> SandboxLostError:
    text = str(getattr(error, "explanation", "") or error)
    return SandboxLostError(
        "the container has stopped or was removed" if _GONE.search(text) else f"container engine: {text}"
    )
