"""Takes the reports of programs that an answer runs, over a socket: from our own judge's processes and from nobody else.

A file that the programs write could be written by the answer's shell as well. Here the kernel names the process at the other
end. It is sent its job with a ticket only after it was seen to be the judge, and the report must bring the ticket back from
that same process.
"""

import json
import os
import secrets
import socket
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ml_agent.benchmarks.strict.reports import FORGED, MOST_BYTES, MOST_PROGRAMS

NAME = "scorer"
"""Of the socket, in the folder that is lent to the answer."""
LENGTH = struct.Struct(">I")
CREDENTIALS = struct.Struct("3i")
"""Process, user and group."""
SECONDS = 300.0
"""What a program may take from its job to its report: more than an answer has as a whole."""
JOIN_SECONDS = 10.0
MOST_AT_ONCE = 256
CHUNK = 64 * 1024


class _ForgedError(Exception):
    """A report that is not the judge's."""


class Collector:
    """`lines` holds what was reported, in the order in which the programs ended."""

    def __init__(self, place: Path, job: Mapping[str, Any], judge: Sequence[str]) -> None:
        """`judge` is the program and the first words of the processes that may report."""
        self.lines: list[bytes] = []
        self._place, self._job, self._judge = place, dict(job), list(judge)
        self._lock = threading.Lock()
        self._room = MOST_BYTES
        self._callers: dict[socket.socket, threading.Thread] = {}

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take reports for the length of the block."""
        with socket.socket(socket.AF_UNIX) as listener:
            _bind(listener, self._place)
            listener.listen(64)
            server = threading.Thread(target=self._serve, args=(listener,), daemon=True)
            server.start()
            try:
                yield
            finally:
                with suppress(OSError):
                    listener.shutdown(socket.SHUT_RDWR)
                server.join(timeout=JOIN_SECONDS)
                self._end_callers()

    def _serve(self, listener: socket.socket) -> None:
        with suppress(OSError):  # closed
            while True:
                caller, _ = listener.accept()
                self._callers = {one: thread for one, thread in self._callers.items() if thread.is_alive()}
                if len(self._callers) >= MOST_AT_ONCE:
                    caller.close()
                    continue
                thread = threading.Thread(target=self._hear, args=(caller,), daemon=True)
                self._callers[caller] = thread
                thread.start()

    def _end_callers(self) -> None:
        for caller, thread in self._callers.items():
            with suppress(OSError):
                caller.shutdown(socket.SHUT_RD)  # what was sent by now is read still
            thread.join(timeout=JOIN_SECONDS)

    def _hear(self, caller: socket.socket) -> None:
        """One caller, from its job to its report."""
        with caller, suppress(OSError):
            caller.settimeout(SECONDS)
            try:
                line = self._ask(caller)
            except EOFError:
                return
            except _ForgedError:
                line = FORGED
            self._note(line)
            caller.sendall(b"\n")

    def _ask(self, caller: socket.socket) -> bytes:
        """The report of a caller. Raises OSError, EOFError where it ends without one, _ForgedError where it is not the judge."""
        pid = _process(caller)
        if not self._is_judge(pid):
            raise _ForgedError
        ticket = secrets.token_hex(16)
        job = json.dumps({**self._job, "ticket": ticket}).encode()
        caller.sendall(LENGTH.pack(len(job)) + job)
        length = LENGTH.unpack(_read(caller, LENGTH.size, pid))[0]
        if length > MOST_BYTES:
            raise _ForgedError
        sent, _, line = _read(caller, length, pid).partition(b"\n")
        if sent != ticket.encode():
            raise _ForgedError
        return line

    def _note(self, line: bytes) -> None:
        with self._lock:
            self._room -= len(line)
            if len(self.lines) < MOST_PROGRAMS:
                self.lines.append(line if self._room >= 0 else FORGED)

    def _is_judge(self, pid: int) -> bool:
        """Whether a process runs our interpreter with our words; where the system does not say, whoever has the ticket."""
        if not Path("/proc/self").exists():
            return True
        try:
            same = Path(f"/proc/{pid}/exe").samefile(self._judge[0])
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        # Python looks for its settings and libraries beside word 0, which may be a link elsewhere
        return same and words[: len(self._judge)] == [os.fsencode(word) for word in self._judge]


def _bind(listener: socket.socket, place: Path) -> None:
    """At a path of any length where the system lets us: the name of a socket may have 107 characters only."""
    folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        shown = Path("/proc/self/fd").exists()
        listener.bind(f"/proc/self/fd/{folder}/{NAME}" if shown else str(place / NAME))
    finally:
        os.close(folder)


def _process(caller: socket.socket) -> int:
    """Who connected; from now on the kernel also names who sends."""
    if not hasattr(socket, "SO_PEERCRED"):
        return 0
    caller.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    return int(CREDENTIALS.unpack(caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))[0])


def _read(caller: socket.socket, size: int, pid: int) -> bytes:
    """So many bytes of one process. Raises OSError, EOFError, and _ForgedError where another process sends."""
    data = b""
    while len(data) < size:
        part, around, _, _ = caller.recvmsg(min(size - len(data), CHUNK), socket.CMSG_SPACE(CREDENTIALS.size))
        if not part:
            raise EOFError
        if any(CREDENTIALS.unpack(said)[0] != pid for _, _, said in around if len(said) == CREDENTIALS.size):
            raise _ForgedError
        data += part
    return data
