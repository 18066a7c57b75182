"""Keeps what is worth keeping of a command's output in flat memory, and all of it on disk."""

from collections import deque
from pathlib import Path
from typing import Literal

from ml_agent.sandbox.error_lines import ErrorLines
from ml_agent.sandbox.lines import Line, LineReader
from ml_agent.sandbox.output_kinds import kind_of, may_hold_error

Stream = Literal["stdout", "stderr"]

MAX_LOG_BYTES = 1024**3
"""A program that writes without end must not fill the host's disk."""
MAX_PROGRESS = 5
"""Progress lines kept; the last ones."""
LINES_LOOKED_AT = 20
"""Lines of one chunk that are looked at for progress: a program that floods its output must not cost us much."""
MAX_LINES_SEARCHED = 500
"""Lines of one chunk that are searched for errors, for the same reason; the last ones."""


class HeadAndTail:
    """The first and the last lines of a stream, each within a limit of characters."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._head: list[str] = []
        self._head_size = 0
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._cut_lines = 0
        self._cut_size = 0

    def add(self, line: str) -> None:
        """Add the next line."""
        if not self._tail and (not self._head or self._head_size + len(line) < self._limit):
            self._head.append(line)
            self._head_size += len(line) + 1
            return
        self._tail.append(line)
        self._tail_size += len(line) + 1
        while self._tail_size > self._limit and len(self._tail) > 1:
            dropped = self._tail.popleft()
            self._tail_size -= len(dropped) + 1
            self._cut_lines += 1
            self._cut_size += len(dropped) + 1

    def text(self) -> str:
        """Head and tail, with a line between them that says what was cut."""
        cut = [f"[... {self._cut_lines} lines, {self._cut_size} characters cut ...]"] if self._cut_lines else []
        lines = [*self._head, *cut, *self._tail]
        return "\n".join(lines) + "\n" if lines else ""


class _StreamCapture:
    """One of the two streams: its lines, its head and tail, its errors."""

    def __init__(self, limit: int) -> None:
        self.reader = LineReader()
        self.kept = HeadAndTail(limit)
        self.errors = ErrorLines()


class Capture:
    """The output of one command.

    `log` is the file that gets everything as it came; `limit` is in characters, for the head and for the tail of each
    stream.
    """

    def __init__(self, log: Path, limit: int) -> None:
        self._streams: dict[Stream, _StreamCapture] = {"stdout": _StreamCapture(limit), "stderr": _StreamCapture(limit)}
        self._progress: deque[str] = deque(maxlen=MAX_PROGRESS)
        self._log = log.open("wb")
        self._log_size = 0

    def feed(self, stream: Stream, chunk: bytes) -> list[str]:
        """Take a chunk; return the lines it completed, for the probe to look at."""
        self._write(chunk)
        return self._take(self._streams[stream], list(self._streams[stream].reader.feed(chunk)))

    def close(self) -> None:
        """Take the unfinished lines and close the log; repeatable."""
        for capture in self._streams.values():
            self._take(capture, list(capture.reader.close()))
        self._log.close()

    def text(self, stream: Stream) -> str:
        """What was kept of a stream."""
        return self._streams[stream].kept.text()

    def error_lines(self) -> tuple[str, ...]:
        """The lines that say what went wrong; those of stderr last, for they are the likelier reason."""
        out, err = (self._streams[s].errors.lines() for s in ("stdout", "stderr"))
        return tuple(line for line in out if line not in err) + err

    def progress(self) -> tuple[str, ...]:
        """The last progress lines."""
        return tuple(self._progress)

    def _take(self, capture: _StreamCapture, lines: list[Line]) -> list[str]:
        final = [line.text for line in lines if line.final]
        for text in final:
            capture.kept.add(text)
        if capture.errors.busy or may_hold_error("\n".join(final)):
            for text in final[-MAX_LINES_SEARCHED:]:
                if capture.errors.busy or may_hold_error(text):
                    capture.errors.feed(text)
        seen = [line.text for line in lines[-LINES_LOOKED_AT:]]
        self._progress.extend(text.strip()[:400] for text in seen if kind_of(text) == "progress")
        return seen

    def _write(self, chunk: bytes) -> None:
        room = MAX_LOG_BYTES - self._log_size
        if room <= 0:
            return
        self._log.write(chunk[:room])
        self._log_size += len(chunk)
        if self._log_size >= MAX_LOG_BYTES:
            self._log.write(b"\n[log cut: larger than %d bytes]\n" % MAX_LOG_BYTES)
        self._log.flush()
