"""Watches one running command from the host, whatever runs it: output, probe, deadline, Ctrl-C.

A sandbox starts a command as a `Running`; `supervise` reads its output, looks at the clock and the disk, ends it where a limit is reached, and makes
the `Response`. `Probe` tells a program that is at work from one that hangs: a healthy one may be ended early.
"""

import codecs
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from queue import Empty
from typing import Literal, Protocol, get_args

import msgspec

from ml_agent.sandbox.contract import Command, Ended, Limits, OnOutput, Response
from ml_agent.sandbox.errors import InterruptedRunError, SandboxLostError
from ml_agent.sandbox.files import DiskUsage
from ml_agent.sandbox.output import Capture, Stream, kind_of

POLL_SECONDS = 0.2
ASK_SECONDS = 1.0
"""How often the program is asked whether it is still at work."""
DISK_SECONDS = 2.0
"""How often the disk is looked at, where there is a limit."""
LOOK_SHARE = 20
"""Looks at the disk are at least this many times as far apart as one takes."""
HOST_GRACE = 6.0
"""Seconds after the deadline inside the sandbox after which the host ends the command itself."""
GIVE_UP = 30.0
"""Seconds after the last kill until the sandbox counts as lost."""
INTERRUPT_GRACE = 3.0
"""Seconds that a program gets after Ctrl-C to write what it has."""

Signal = Literal["INT", "TERM", "KILL"]


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How the process under watch ended, as its sandbox saw it."""

    exit_code: int | None
    signal: int | None = None
    timed_out: bool = False
    out_of_memory: bool = False
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None
    note: str = ""
    """One line about a limit that ended it."""


def as_told_by_a_shell(status: Status) -> Status:
    """A shell reports a signal of its child as 128 and its number."""
    code = status.exit_code
    if code is None or not 128 < code < 160:
        return status
    return msgspec.structs.replace(status, exit_code=None, signal=code - 128)


class Running(Protocol):
    """A command that runs; made by a sandbox, used by `supervise`."""

    def read(self, timeout: float) -> tuple[Stream, bytes] | None:
        """The next chunk; None at the end of all output. Raises queue.Empty when nothing came in `timeout` seconds."""

    def send(self, signal: Signal) -> None:
        """Send a signal to every process of the command; nothing when there is none left."""

    def cpu_seconds(self) -> float | None:
        """Processor time used so far, None where it cannot be known."""

    def wrote(self) -> bool:
        """Whether a file of the workspace was written since the command began."""

    def disk(self) -> DiskUsage | None:
        """What the sandbox's files take; None where it is not known. Costs a walk over them."""

    def free(self) -> int | None:
        """Bytes that are free where the sandbox's files lie; None where it is not known. Costs next to nothing."""

    def finish(self) -> Status:
        """Wait for the end and remove every process that is left. Raises SandboxLostError."""


class _Watch:
    """The state of one supervision."""

    def __init__(self, running: Running, command: Command, limits: Limits, capture: Capture) -> None:
        self.running, self.command, self.limits, self.capture = running, command, limits, capture
        self.probe = Probe(command.probe_seconds, time.monotonic, running.cpu_seconds, running.wrote)
        self.deadline = time.monotonic() + command.timeout + HOST_GRACE
        self.ended: Ended | None = None
        self.killed = False
        self.decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in get_args(Stream)}
        self.asked = 0.0
        self.disk_next = self.free_next = time.monotonic() + DISK_SECONDS
        self.free = running.free() if limits.disk_bytes is not None else None
        self.note = ""
        self.errors: tuple[str, ...] | None = None
        self.at_work = False

    def follow(self, on_output: OnOutput | None) -> None:
        """Read until all output has ended, or until the probe or the deadline ended the command."""
        next_look = 0.0
        while True:
            try:
                chunk = self.running.read(POLL_SECONDS)
            except Empty:
                chunk = ("stdout", b"")
            if chunk is None:
                return
            stream, data = chunk
            if data:
                self.probe.saw(self.capture.feed(stream, data))
                if on_output is not None and (text := self.decoders[stream].decode(data)):
                    on_output(text)
            now = time.monotonic()
            if now >= next_look:
                next_look = now + POLL_SECONDS
                if on_output is not None:
                    on_output("")  # whoever listens may want to stop a program that says nothing
                self.look(now)

    def look(self, now: float) -> None:
        """End the command when its probe is done or its deadline long over."""
        if self.ended is None:
            if now - self.asked >= ASK_SECONDS:
                self.asked, self.at_work = now, self.probe.at_work()
            if self.probe.due():
                self.ended, self.errors = "probe", self.capture.error_lines()
                self.running.send("TERM")
                self.deadline = now + INTERRUPT_GRACE
        if self.limits.disk_bytes is not None and now >= self.free_next and not self.killed:
            self.look_at_disk(now, self.limits.disk_bytes)
        if now >= self.deadline and not self.killed:
            self.ended, self.killed = self.ended or "timeout", True
            self.running.send("KILL")
        if now >= self.deadline + GIVE_UP:
            raise SandboxLostError("the command ran into its time limit and cannot be stopped")

    def look_at_disk(self, now: float, limit: int) -> None:
        """End a command that fills the disk; looking must cost little beside what it does.

        What cannot be counted is known by the free space alone, which others use, too: only where something is hidden it
        counts against the command.
        """
        free = self.running.free()
        is_fuller = free is not None and self.free is not None and self.free - free > limit
        self.free_next = now + DISK_SECONDS
        if now < self.disk_next and not is_fuller:
            return
        used = self.running.disk()
        took = time.monotonic() - now
        self.free_next, self.disk_next = now + DISK_SECONDS + took, now + max(DISK_SECONDS, LOOK_SHARE * took)
        if used is None:
            return
        if used.size > limit or (is_fuller and not used.whole):
            self.note = f"disk limit of {limit} bytes reached"
        elif used.files > self.limits.files:
            self.note = f"limit of {self.limits.files} files reached"
        if self.note:
            self.killed, self.deadline = True, now
            self.running.send("KILL")

    def interrupt(self) -> None:
        """Ask the program to stop, as Ctrl-C in its terminal would, and read what it still says."""
        self.ended = "interrupted"
        self.running.send("INT")
        self.deadline = time.monotonic() + INTERRUPT_GRACE
        self.follow(None)


def supervise(
    running: Running, command: Command, limits: Limits, log: Path, on_output: OnOutput | None = None
) -> Response:
    """Follow a command to its end and say what it did.

    Raises SandboxLostError, and at Ctrl-C (KeyboardInterrupt) InterruptedRunError, once the program had its time to stop; a second
    Ctrl-C kills at once.
    """
    began = time.monotonic()
    with ExitStack() as stack:
        with _ended_on_error(running):
            capture = stack.enter_context(closing(Capture(log, limits.output_bytes)))
            watch = _Watch(running, command, limits, capture)
            try:
                watch.follow(on_output)
            except KeyboardInterrupt:
                watch.interrupt()
        status = running.finish()
    response = _response(watch, status, time.monotonic() - began, log)
    if response.ended == "interrupted":
        raise InterruptedRunError(response)
    return response


@contextmanager
def _ended_on_error(running: Running) -> Iterator[None]:
    """Whatever goes wrong here, no process may be left behind."""
    try:
        yield
    except BaseException:
        running.send("KILL")
        running.finish()
        raise


def _response(watch: _Watch, status: Status, seconds: float, log: Path) -> Response:
    ended = _ending(watch, status)
    good_end = ended == "exited" and status.exit_code == 0
    notes = tuple(note for note in (watch.note, status.note) if note)
    return Response(
        ended=ended,
        exit_code=status.exit_code if ended == "exited" else None,
        signal=status.signal if ended in ("signalled", "out-of-memory") else None,
        stdout=watch.capture.text("stdout"),
        stderr=watch.capture.text("stderr"),
        error_lines=(watch.capture.error_lines() if watch.errors is None else watch.errors) + notes,
        progress=watch.capture.progress(),
        started=good_end or ended == "probe" or (ended in ("timeout", "interrupted") and watch.at_work),
        log=str(log),
        seconds=round(seconds, 3),
        cpu_seconds=status.cpu_seconds,
        peak_memory_bytes=status.peak_memory_bytes,
    )


def _ending(watch: _Watch, status: Status) -> Ended:
    if watch.ended == "probe" and status.exit_code == 0:
        return "exited"
    if watch.ended in ("probe", "interrupted"):
        return watch.ended
    if status.out_of_memory:
        return "out-of-memory"
    if status.timed_out or watch.ended == "timeout":
        return "timeout"
    return "signalled" if status.signal is not None else "exited"


# Tells a program that is healthy and at work from one that hangs, sleeps or is still importing.

LOOK_EVERY = 2.0
"""Seconds between looks for files the program wrote, fewer where the window is shorter; each look costs a walk of the workspace."""
BUSY_SHARE = 0.05
"""A program that prints nothing more must use at least this share of one processor to count as at work."""
QUIET_SECONDS = 2.0
"""How long it may be silent at the end of its window without using the processor."""


class Probe:
    """Watches one command.

    The program's own code counts as reached when it printed something that is neither an installer's, an import's nor a
    download's line, or when it wrote a file into its workspace. From then on the window runs; download lines start it
    anew. At its end the program must have shown that it goes on: by output, or by using the processor.

    `now` is the clock in seconds; `cpu` the seconds of processor time used so far, None where it cannot be known;
    `wrote` says whether a file was written since the command began.
    """

    def __init__(
        self, window: float | None, now: Callable[[], float], cpu: Callable[[], float | None], wrote: Callable[[], bool]
    ) -> None:
        self._window = window
        self._now, self._cpu, self._wrote = now, cpu, wrote
        self._looked_at = now()
        self._reached_at: float | None = None
        self._cpu_then: float | None = None
        self._last_own: float | None = None
        self._failed = False

    def saw(self, lines: list[str]) -> None:
        """Take the lines of a chunk."""
        for line in lines:
            self._failed = self._failed or line.startswith("Traceback (most recent call last)")
            kind = kind_of(line)
            if kind == "download":
                self._begin(restart=True)
            elif kind != "noise":
                self._last_own = self._now()
                self._begin()

    def due(self) -> bool:
        """Whether the window is over and the program was at work in it; looks for written files where need be."""
        if self._window is None:
            return False
        now = self._now()
        if self._reached_at is None:
            if now - self._looked_at >= min(LOOK_EVERY, self._window):
                self._looked_at = now
                if self._wrote():
                    self._begin()
            return False
        return now - self._reached_at >= self._window and self.at_work()

    def at_work(self) -> bool:
        """Whether the program's own code was reached and still does something, without an error so far."""
        if self._reached_at is None or self._failed:
            return False
        now = self._now()
        if self._last_own is not None and self._last_own > self._reached_at and now - self._last_own <= QUIET_SECONDS:
            return True
        used = self._cpu()
        if used is None or self._cpu_then is None:
            return False
        return used - self._cpu_then >= BUSY_SHARE * max(now - self._reached_at, 1.0)

    def _begin(self, restart: bool = False) -> None:
        if restart and self._reached_at is None:
            return
        if restart or self._reached_at is None:
            self._reached_at = self._now()
            self._cpu_then = self._cpu()
