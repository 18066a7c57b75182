"""One walk over the files of a repository: within a budget, with progress."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

import msgspec

T = TypeVar("T")

_BETWEEN_REPORTS = 0.1
FILE_SECONDS = 2.0
"""Processor time for one file."""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Files that an index does not know because reading them would have taken too long."""

    part: str
    """The part of the index that lacks them."""
    reason: str
    paths: tuple[str, ...]
    partly: bool = False
    """Whether the beginning of the file is known."""

    @property
    def said(self) -> str:
        """One line for a person."""
        if self.partly:
            return f"{self.paths[0]}: only its beginning is read for {self.part} ({self.reason})"
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return f"{self.paths[0] if self.paths else 'nothing'}{more}: not read for {self.part} ({self.reason})"


class Progress(NamedTuple):
    """How far the reading of a repository is."""

    part: str
    done: int
    """Files."""
    total: int
    path: str = ""
    """What is being read."""


Report = Callable[[Progress], None]
Over = Callable[[], bool]
"""Whether the time for a file is over."""


def is_within(path: str, place: str) -> bool:
    """Whether a path is a file or folder, or lies in it; "" is the root."""
    return not place or path == place or path.startswith(f"{place}/")


def never() -> bool:
    """For a file that may take the time it needs."""
    return False


class IndexWalk:
    """One walk that makes one part of an index.

    Args:
        part: Name of the part.
        seconds: Processor time of this thread that it may take; the files that are then not yet read are left out.
        report: Told of the progress, at most ten times a second, and at the end.
        first: File or folder that is read before all others; a file also where there is no time.
    """

    def __init__(
        self,
        part: str,
        seconds: float = float("inf"),
        report: Report | None = None,
        *,
        first: str = "",
    ) -> None:
        self.part = part
        self.cut: list[str] = []
        """Files of which only the beginning was read."""
        self._report, self._first = report, first
        self._deadline = time.thread_time() + seconds
        self._reported = 0.0
        self._file_deadline = float("inf")
        self._path = ""

    def results(self, paths: Iterable[str], make: Callable[[str], T]) -> dict[str, T]:
        """What `make` gives for each path, in the order of the paths whatever is read first; without those left out."""
        paths = tuple(paths)
        made = {path: make(path) for path in self.each(self.ordered(paths))}
        return {path: made[path] for path in paths if path in made}

    def ordered(self, paths: Iterable[str]) -> list[str]:
        """The paths in the order in which they are read: what is asked for, then what lies near the root."""
        return sorted(paths, key=lambda path: (not is_within(path, self._first), path.count("/")))

    def each(self, paths: Iterable[str]) -> Iterator[str]:
        """The paths one by one, until the time is over."""
        paths = tuple(paths)
        for place, path in enumerate(paths):
            now = time.thread_time()
            if now > self._deadline and path != self._first:
                return
            self._path, self._file_deadline = path, now + FILE_SECONDS
            self._tell(place, len(paths), path)
            yield path
        self._tell(len(paths), len(paths))

    def over(self) -> bool:
        """Whether the file that is being read had its time; what is left of it is then left out, and that is noted."""
        is_over = time.thread_time() > self._file_deadline
        if is_over and self._path not in self.cut:
            self.cut.append(self._path)
        return is_over

    def _tell(self, done: int, total: int, path: str = "") -> None:
        now = time.monotonic()
        if self._report is not None and (now - self._reported >= _BETWEEN_REPORTS or done == total):
            self._reported = now
            self._report(Progress(self.part, done, total, path))
