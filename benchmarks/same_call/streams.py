"""Where a program's standard input comes from and where its output goes, through pipes."""

import posixpath
import shlex
from collections.abc import Sequence
from pathlib import Path

from ml_agent.benchmarks.same_call.trace import Place, Step, starts_python
from ml_agent.benchmarks.same_call.values import is_there

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

    def __init__(self, steps: Sequence[Step], place: Place, *, through_files: bool = False) -> None:
        """`steps`: what bash carried out; `place`: where; `through_files`: a file that one command makes and others only read is a pipe."""
        self._steps = steps
        self._through_files = through_files
        self._is_followed = all(UNKNOWN not in (step.stdin, step.stdout) for step in steps)
        self._place = place
        self._touching: dict[str, list[Step]] = {}
        for step in steps:
            words = [self._at(step, word.rpartition("=")[2]) for word in step.invocation.words]
            for path in {step.stdin, step.stdout, *words}:
                self._touching.setdefault(path, []).append(step)

    def source(self, stream: str, depth: int = 0) -> str:
        """Where an input comes from: a file (relative to the repository where it lies there), or the command that gives it; "" for nothing."""
        if stream == NOTHING:
            return ""
        is_file = stream.startswith("/")
        writer = self._filled_by(stream) if is_file else next((s for s in self._steps if s.stdout == stream), None)
        if is_file and (writer is None or depth > _DEEPEST):
            return self._file(stream)
        if not (is_file or stream.startswith("pipe:")) or writer is None or depth > _DEEPEST:
            return UNKNOWN
        name, files = _name(writer), _operands(writer)
        if name == "cat" and len(files) == 1:
            return self.source(self._at(writer, files[0]), depth + 1)
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
            if self._filled_by(stream) is None or depth > _DEEPEST:
                return tuple(self._file(path) for path in self._final_paths(stream))
            further = [self._behind(reader, depth + 1) for reader in self._touching[stream] if reader.stdin == stream]
            further += [
                self.sinks(reader.stdout, depth + 1) for reader in self._touching[stream] if self._shows(reader, stream)
            ]
            return tuple(sink for sinks in further for sink in sinks)
        readers = [step for step in self._steps if step.stdin == stream]
        if not stream.startswith("pipe:") or not readers or depth > _DEEPEST:
            return (UNKNOWN,)
        return tuple(sink for reader in readers for sink in self._behind(reader, depth + 1))

    def _filled_by(self, path: str) -> Step | None:
        """The one command that makes a file which is only read from then on: such a file stands for a pipe."""
        first, rest = self._touching[path][0] if path in self._touching else None, self._touching.get(path, [])[1:]
        if first is None or first.stdout != path or not first.waited or not rest or not self._may_follow(path):
            return None
        is_read = all(s.stdout != path and (s.stdin == path or self._shows(s, path)) for s in rest)
        return first if is_read else None

    def _may_follow(self, path: str) -> bool:
        """Whether all is known of what the answer does to a file, and none is there before."""
        return self._through_files and self._is_followed and not is_there(Path(path))

    def is_made_anew(self, step: Step) -> bool:
        """Whether a command only takes away what is no file of the repository and what a later one writes: `rm -f log; … >> log`."""
        files = {self._at(step, word) for word in _operands(step)}
        flags = {word for word in step.invocation.words if word.startswith("-")}
        if _name(step) != "rm" or not flags <= {"-f"} or not files:
            return False
        touching = [self._touching[file] for file in files if self._may_follow(file)]
        is_new = all(steps[0] is step and any(one.stdout in files for one in steps) for steps in touching)
        return len(touching) == len(files) and is_new

    def _shows(self, step: Step, path: str) -> bool:
        """Whether a command is `cat FILE`."""
        return _name(step) == "cat" and [self._at(step, word) for word in step.invocation.words] == [path]

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
