"""One walk over the files of a repository: within a budget, with progress, and with what an earlier walk found."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec

from ml_agent.tools.content_cache import ContentCache

T = TypeVar("T")

_BETWEEN_REPORTS = 0.1
_BEAT = 0.75
"""Seconds without a report after which the last one is repeated."""
_LOOKS = 0.2
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
    seconds: float = 0.0
    """Since when, where it takes long."""


Report = Callable[[Progress], None]
Over = Callable[[], bool]
"""Whether the time for a file is over."""


def is_within(path: str, place: str) -> bool:
    """Whether a path is a file or folder, or lies in it; "" is the root."""
    return not place or path == place or path.startswith(f"{place}/")


def never() -> bool:
    """Of a file that may take the time it needs."""
    return False


class IndexWalk:
    """One walk that makes one part of an index.

    Args:
        part: Name of the part.
        seconds: Processor time of this thread that it may take; the files that are then not yet read are left out.
        report: Told of the progress, at most ten times a second, and at the end.
        cache: Where the results of single files are kept.
        file_seconds: Processor time that one file may take, where its reader asks (`over`).
    """

    def __init__(
        self, part: str, seconds: float = float("inf"), report: Report | None = None, cache: ContentCache | None = None,
        file_seconds: float = FILE_SECONDS,
    ) -> None:  # fmt: skip
        self.part = part
        self.seconds = seconds
        self.left_out: list[LeftOut] = []
        self.first = ""
        """File or folder that is read before all others; a file also where there is no time."""
        self._report = report
        self._cache = cache
        self._deadline = time.thread_time() + seconds
        self._reported = 0.0
        self._file_seconds = file_seconds
        self._file_deadline = float("inf")
        self._cut = False
        """Whether the file that is being read had its time."""
        self._now = Progress(part, 0, 1)
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._stopped: BaseException | None = None
        """What the repeated report was answered with."""
        self.found = False
        """Whether the last result was one that had been kept."""

    def results(self, paths: Iterable[str], make: Callable[[str], T]) -> dict[str, T]:
        """What `make` gives for each path, in the order of the paths whatever is read first; without those left out."""
        paths = tuple(paths)
        made = {path: make(path) for path in self.each(self.ordered(paths))}
        return {path: made[path] for path in paths if path in made}

    def ordered(self, paths: Iterable[str]) -> list[str]:
        """The paths in the order in which they are read."""
        return sorted(paths, key=lambda path: not is_within(path, self.first))

    def each(self, paths: Iterable[str]) -> Iterator[str]:
        """The paths one by one, until the time is over."""
        paths = tuple(paths)
        for place, path in enumerate(paths):
            if time.thread_time() > self._deadline and path != self.first:
                reason = f"reading took longer than {self.seconds:g} s"
                self.left_out.append(LeftOut(part=self.part, reason=reason, paths=paths[place:]))
                return
            self._file_deadline = time.thread_time() + self._file_seconds
            self._cut = False
            self._tell(place, len(paths), path)
            yield path
        self._file_deadline = float("inf")
        self._tell(len(paths), len(paths))

    def over(self) -> bool:
        """Whether the file that is being read had its time; what is left of it is then left out, and that is noted."""
        if not self._cut and time.thread_time() > self._file_deadline:
            self._cut = True
            reason = f"reading it took longer than {self._file_seconds:g} s"
            self.left_out.append(LeftOut(part=self.part, reason=reason, paths=(self._now.path,), partly=True))
        return self._cut

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Tell at least every second what is being read, also while one file takes long."""
        if self._report is None:
            yield
            return
        ended = threading.Event()
        beat = threading.Thread(target=self._beat, args=(self._report, ended), daemon=True)
        beat.start()
        try:
            yield
        finally:
            ended.set()
            beat.join(_BEAT)

    def _beat(self, report: Report, ended: threading.Event) -> None:
        while not ended.wait(_LOOKS):
            with self._lock:
                now = time.monotonic()
                if now - self._reported < _BEAT:
                    continue
                self._reported = now
                try:
                    report(self._now._replace(seconds=now - self._began))
                except BaseException as error:  # noqa: BLE001 - such as a cancelled run: for the thread that reads
                    self._stopped = error
                    return

    @property
    def keeps(self) -> bool:
        """Whether results of single files are kept."""
        return self._cache is not None

    def recall(
        self, key: tuple[str, ...], kind: Any, make: Callable[[], T], fits: Callable[[T], bool] | None = None
    ) -> T:
        """What was made of the same content before, else what `make` gives now.

        Args:
            key: Names the content: a path and hashes of all that the result depends on.
            kind: The result's type.
            fits: Whether a result that was kept is still good, where the key does not tell.
        """
        if self._cache is None:
            return make()
        known: T | None = self._cache.load((self.part, *key), kind)
        self.found = known is not None and (fits is None or fits(known))
        if known is not None and self.found:
            return known
        made = make()
        if not self._cut:
            self._cache.store((self.part, *key), made)
        return made

    def _tell(self, done: int, total: int, path: str = "") -> None:
        if self._stopped is not None:
            raise self._stopped
        now = time.monotonic()
        self._now, self._began = Progress(self.part, done, total, path), now
        if self._report is not None and (now - self._reported >= _BETWEEN_REPORTS or done == total):
            with self._lock:
                self._reported = now
                self._report(self._now)
