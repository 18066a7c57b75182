"""One line on stderr while a repository is read."""

import sys
import time

from ml_agent.terminal import write_error, write_over
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.reading import Progress

_QUIET = 1.0
_BETWEEN_LINES = 2.0


class ReadingLine:
    """Says how far the reading is, from the first second on: a line that changes, or one every two seconds in a log."""

    def __init__(self) -> None:
        self._started = self._said = time.monotonic()
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        """Show it."""
        now, terminal = time.monotonic(), sys.stderr.isatty()
        if progress.done == progress.total:
            if self._shown and terminal:
                write_over("")
            self._shown = False
        elif now - self._started > _QUIET and (terminal or now - self._said > _BETWEEN_LINES):
            self._said, self._shown = now, True
            text = f"reading the repository: {progress.part}, {progress.done} of {progress.total} files"
            (write_over if terminal else write_error)(text)


def say_left_out(index: RepoIndex) -> None:
    """Say on stderr what is not known because reading it would have taken too long."""
    for left in index.left_out:
        write_error(left.said)
