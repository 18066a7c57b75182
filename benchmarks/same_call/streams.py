"""Where a program's standard input comes from and where its output goes, through pipes."""

import posixpath
import shlex
from collections.abc import Sequence

from benchmarks.same_call.trace import Place, Step, starts_python

UNKNOWN = "?"
"""A stream of which nothing is known: it agrees with everything."""
PROGRAM = "another program"
"""What stands at the other end of a pipe, where that is compared for itself."""
NOTHING = "/dev/null"
_SAYS = frozenset({"echo", "printf"})
_TAKES = frozenset({"mv", "cp"})
_DEEPEST = 20
"""Pipes that are followed."""


class Streams:
    """Follows the streams of an answer's commands."""

    def __init__(self, steps: Sequence[Step], place: Place) -> None:
        """`steps`: what bash carried out; `place`: where."""
        self._steps = steps
        self._place = place

    def source(self, stream: str, depth: int = 0) -> str:
        """Where an input comes from: a file (relative to the repository where it lies there), or the command that gives it; "" for nothing."""
        if stream == NOTHING:
            return ""
        if stream.startswith("/"):
            return self._file(stream)
        writer = next((step for step in self._steps if step.stdout == stream), None)
        if not stream.startswith("pipe:") or writer is None or depth > _DEEPEST:
            return UNKNOWN
        name, files = _name(writer), _operands(writer)
        if name == "cat" and len(files) == 1:
            return self._file(self._at(writer, files[0]))
        if self._is_program(writer):
            return PROGRAM
        if name in _SAYS or (files and name == "cat"):
            return _line(writer)
        before = self.source(writer.stdin, depth + 1)
        return before if name in ("cat", "tee") or before == UNKNOWN else f"{_line(writer)} < {before}"

    def sinks(self, stream: str, depth: int = 0) -> tuple[str, ...]:
        """The files to which an output goes, each with what stands between; () where it is only shown."""
        if stream == NOTHING:
            return ()
        if stream.startswith("/"):
            return tuple(self._file(path) for path in self._final_paths(stream))
        readers = [step for step in self._steps if step.stdin == stream]
        if not stream.startswith("pipe:") or not readers or depth > _DEEPEST:
            return (UNKNOWN,)
        return tuple(sink for reader in readers for sink in self._behind(reader, depth + 1))

    def _final_paths(self, path: str) -> list[str]:
        """Where a file is in the end: it may be moved or copied."""
        found = [path]
        for step in self._steps:
            files = _operands(step)
            if _name(step) in _TAKES and len(files) == 2 and self._at(step, files[0]) in found:
                aim = posixpath.join(files[1], posixpath.basename(files[0])) if files[1].endswith("/") else files[1]
                found = [
                    *([one for one in found if one != self._at(step, files[0])] if _name(step) == "mv" else found),
                    self._at(step, aim),
                ]
        return found

    def _behind(self, reader: Step, depth: int) -> tuple[str, ...]:
        """Where what a command reads goes."""
        if self._is_program(reader):
            return (PROGRAM,)
        name, files = _name(reader), _operands(reader)
        further = self.sinks(reader.stdout, depth)
        if name == "tee":
            kept = [self._file(self._at(reader, file)) for file in files if not file.startswith("/dev/")]
            return (*kept, *further)
        if name == "cat" and not files:
            return further
        return tuple(sink if sink == UNKNOWN else f"{_line(reader)} > {sink}" for sink in further)

    def _is_program(self, step: Step) -> bool:
        return starts_python(step.invocation, self._place)

    def _at(self, step: Step, file: str) -> str:
        folder = posixpath.join(self._place.root, self._place.folder or ".", step.invocation.folder or ".")
        return posixpath.normpath(posixpath.join(folder, file))

    def _file(self, path: str) -> str:
        """A path relative to the repository, where it lies there."""
        if path.endswith(" (deleted)"):
            return UNKNOWN
        inside = posixpath.relpath(path, self._place.root)
        return path if inside.partition("/")[0] == ".." else inside


def _name(step: Step) -> str:
    return posixpath.basename(step.invocation.name or step.invocation.program)


def _operands(step: Step) -> list[str]:
    return [word for word in step.invocation.words if not word.startswith("-")]


def _line(step: Step) -> str:
    return shlex.join([_name(step), *step.invocation.words])
