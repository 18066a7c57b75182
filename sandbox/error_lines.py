"""The lines of an output that say what went wrong, found while it streams by."""

import re
from collections import deque

from ml_agent.sandbox.output_kinds import is_error

MAX_BLOCK = 40
"""Lines kept of one traceback: its beginning and its end."""
MAX_SINGLE = 20
"""Error lines kept outside tracebacks; the last ones."""
MAX_WIDTH = 400
"""Characters kept of one line."""

_TRACEBACK = "Traceback (most recent call last):"
_BETWEEN = ("During handling of the above exception", "The above exception was the direct cause")
"""What Python says between two tracebacks names no error."""
_SYNTAX = re.compile(r'^\s*File "(.+)", line (\d+)$')
_LAST = re.compile(r"^[A-Za-z_][\w.]*(?::\s.*|$)")
_FOLLOWING = 3


class ErrorLines:
    """Collects the last traceback and single error lines of one stream."""

    def __init__(self) -> None:
        self._block: list[str] = []
        self._tracebacks: deque[tuple[str, ...]] = deque(maxlen=2)
        self._single: deque[str] = deque(maxlen=MAX_SINGLE)
        self._open = False
        self._following = 0
        self._file_line = ""

    @property
    def busy(self) -> bool:
        """Whether the next line must be looked at whatever it says."""
        return self._open or self._following > 0 or bool(self._file_line)

    def feed(self, line: str) -> None:
        """Look at the next line of the stream."""
        line = line[:MAX_WIDTH].rstrip()
        if line.lstrip().startswith(_TRACEBACK):
            self._close()
            self._open, self._block = True, [line]
        elif self._open:
            self._inside(line)
        else:
            self._outside(line)

    def lines(self) -> tuple[str, ...]:
        """What was found: the last traceback with what caused it, then the last single lines."""
        pending = [tuple(self._block)] if self._open and len(self._block) > 1 else []
        blocks = [*self._tracebacks, *pending][-2:]
        found = [line for block in blocks for line in block]
        return tuple(found + [line for line in self._single if line not in found])

    def _inside(self, line: str) -> None:
        self._block.append(line)
        if len(self._block) > MAX_BLOCK:
            del self._block[MAX_BLOCK // 2]
        if line and not line[0].isspace() and _LAST.match(line):
            self._close()
            self._following = _FOLLOWING

    def _outside(self, line: str) -> None:
        if _SYNTAX.match(line):
            self._file_line, self._following = line, _FOLLOWING
            return
        if line.startswith(("SyntaxError:", "IndentationError:", "TabError:")) and self._file_line:
            self._single.extend((self._file_line, line))
            self._file_line = ""
        elif line.startswith(_BETWEEN):
            return
        elif is_error(line) or (self._following > 0 and not self._file_line and line.strip()):
            self._single.append(line)
        self._following = max(0, self._following - 1)
        if not self._following:
            self._file_line = ""

    def _close(self) -> None:
        if self._open:
            self._tracebacks.append(tuple(self._block))
        self._open, self._block = False, []
