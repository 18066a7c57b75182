"""Takes the reports of Python programs that an answer runs, over a socket: from our own processes inside and from nobody else.

A file that the programs write could be written by the answer's shell as well. Here the kernel names the process at the other end:
it is sent its job with a ticket only after it was seen to be ours, and the report must bring the ticket back.
"""

import json
import os
import secrets
import socket
import socketserver
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.observation.model import Report
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.held_folder import held_folder
from ml_agent.sandbox.inner_path import safe_relative

SOCKET = "observer"
"""Its name, in the folder that is lent to the answer."""
FILE_BLOCKS = 20_000
"""How large a file a program may write, as `ulimit -f` counts."""
MOST_BYTES = FILE_BLOCKS * 1024
MOST_REPORTS = 2000
SECONDS = 300.0
"""What a program may take from its job to its report: more than an answer has as a whole."""
DEEPEST = 60
"""Levels of what is recorded; ours have fewer."""
SPOILT = "spoilt-report"
_LENGTH = struct.Struct(">I")
_CREDENTIALS = struct.Struct("3i")
"""Process, user and group."""


class Collector(socketserver.ThreadingUnixStreamServer):
    """`reports` holds what was reported, in the order in which the programs ended."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, place: Path, job: Mapping[str, Any], ours: Sequence[str]) -> None:
        """`ours` is the program and the first words of the processes that may report."""
        self.reports: list[Report] = []
        self.lock = threading.Lock()
        self.job, self._ours = dict(job), list(ours)
        folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        try:  # the name of a socket may have 107 characters only
            super().__init__(f"/proc/self/fd/{folder}/{SOCKET}", _Handler)
        finally:
            os.close(folder)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take reports for the length of the block."""
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.shutdown()
            self.server_close()

    def is_ours(self, pid: int) -> bool:
        """Whether a process runs our interpreter with our words."""
        try:
            same = Path(f"/proc/{pid}/exe").samefile(self._ours[0])
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        # Python looks for its settings and libraries beside word 0, which may be a link elsewhere
        return same and words[: len(self._ours)] == [os.fsencode(word) for word in self._ours]


class _Handler(socketserver.BaseRequestHandler):
    """One program, from its job to its report."""

    request: socket.socket
    server: Collector

    def handle(self) -> None:
        self.request.settimeout(SECONDS)
        try:
            report = self._ask()
            with self.server.lock:
                if len(self.server.reports) < MOST_REPORTS:
                    self.server.reports.append(report)
            self.request.sendall(b"\n")
        except OSError:  # it ended without a report
            return

    def _ask(self) -> Report:
        """The report of a program; OSError where it ends without one."""
        peer = self.request.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        if not self.server.is_ours(_CREDENTIALS.unpack(peer)[0]):
            return spoilt("a report was not ours")
        ticket = secrets.token_hex(16)
        job = json.dumps({**self.server.job, "ticket": ticket}).encode()
        self.request.sendall(_LENGTH.pack(len(job)) + job)
        length = _LENGTH.unpack(self._read(_LENGTH.size))[0]
        sent, _, line = self._read(length).partition(b"\n") if length <= MOST_BYTES else (b"", b"", b"")
        return read_report(line) if sent == ticket.encode() else spoilt("a report was not ours")

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            part = self.request.recv(min(size - len(data), 1 << 16))
            if not part:
                raise OSError("it ended")
            data += part
        return bytes(data)


def read_report(line: bytes) -> Report:
    """The report that a line holds; what is none of ours is a failed program."""
    try:
        report = msgspec.json.decode(line, type=Report)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return spoilt(f"a report cannot be read: {error}")
    return spoilt("a report is too deep") if _is_deep(msgspec.to_builtins(report.recorded)) else report


def spoilt(message: str) -> Report:
    """What stands in the place of a report that is none."""
    return Report(outcome="failed", code=SPOILT, message=message)


def _is_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(DEEPEST):
        parts = (list(one.values()) if isinstance(one, dict) else one for one in level)
        level = [part for several in parts if isinstance(several, (list, tuple)) for part in several]
    return bool(level)


def read_left(place: Path, name: str) -> str:
    """The text of a file that the programs could write; "" where there is no regular file."""
    try:
        with held_folder(place) as folder:
            return folder.read(safe_relative(name), MOST_BYTES).decode(errors="replace")
    except (FileNotFoundError, SandboxLostError):
        return ""
