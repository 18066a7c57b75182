"""One walk over the files of a repository: within a budget, with progress, and with what an earlier walk found."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec

from tools.content_cache import ContentCache

T = TypeVar("T")

_BETWEEN_REPORTS = 0.1


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Files that an index does not know because reading them would have taken too long."""

    part: str
    """The part of the index that lacks them."""
    reason: str
    paths: tuple[str, ...]

    @property
    def said(self) -> str:
        """One line for a person."""
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return f"{self.paths[0] if self.paths else 'nothing'}{more}: not read for {self.part} ({self.reason})"


class Progress(NamedTuple):
    """How far the reading of a repository is."""

    part: str
    done: int
    """Files."""
    total: int


Report = Callable[[Progress], None]


class Reading:
    """One walk that makes one part of an index.

    Args:
        part: Name of the part.
        seconds: Processor time of this thread that it may take; the files that are then not yet read are left out.
        report: Told of the progress, at most ten times a second, and at the end.
        cache: Where the results of single files are kept.
    """

    def __init__(
        self, part: str, seconds: float = float("inf"), report: Report | None = None, cache: ContentCache | None = None
    ) -> None:
        self.part = part
        self.seconds = seconds
        self.left_out: list[LeftOut] = []
        self._report = report
        self._cache = cache
        self._deadline = time.thread_time() + seconds
        self._reported = 0.0
        self.found = False
        """Whether the last result was one that had been kept."""

    def each(self, paths: Iterable[str]) -> Iterator[str]:
        """The paths one by one, until the time is over."""
        paths = tuple(paths)
        for place, path in enumerate(paths):
            if time.thread_time() > self._deadline:
                reason = f"reading took longer than {self.seconds:g} s"
                self.left_out.append(LeftOut(part=self.part, reason=reason, paths=paths[place:]))
                return
            self._tell(place, len(paths))
            yield path
        self._tell(len(paths), len(paths))

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
        self._cache.store((self.part, *key), made)
        return made

    def _tell(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._report is not None and (now - self._reported >= _BETWEEN_REPORTS or done == total):
            self._reported = now
            self._report(Progress(self.part, done, total))
