"""Tells a program that is healthy and at work from one that hangs, sleeps or is still importing."""

from collections.abc import Callable

from ml_agent.sandbox.output import kind_of

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
