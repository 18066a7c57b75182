"""Results on disk, one JSON line each: a run can be cut at any moment and gone on with, and no file of another hand is replaced."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import msgspec
from rich.text import Text

from ml_agent.benchmarks.engines import Engine, Item, Work
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.predictions import Usage
from ml_agent.files import locked, whole_lines
from ml_agent.terminal import Terminal
from ml_agent.tools.bounded import read_bytes

MOST_BYTES = 1024**3
"""Of one file of results."""
QUIET_SECONDS = 30.0
"""Where stderr is no terminal, progress is told no more often than this."""
RowT = TypeVar("RowT", bound=msgspec.Struct)


class Result(Protocol):
    """What came of one piece of work."""

    @property
    def row(self) -> str:
        """Its name."""

    @property
    def trouble(self) -> str:
        """Why it is not as it should be."""

    @property
    def usage(self) -> Usage:
        """What it cost."""


ResultT = TypeVar("ResultT", bound=Result)


def read_kept(file: Path, kind: type[RowT]) -> RowT | None:
    """What a JSON file keeps; None where there is none, or it is damaged or of another form."""
    try:
        return _decode(read_bytes(file, MOST_BYTES), kind)
    except OSError:
        return None


def _decode(text: bytes, kind: type[RowT]) -> RowT | None:
    try:
        return msgspec.json.decode(text, type=kind, dec_hook=lambda part, value: part(value))
    except (ValueError, RecursionError):  # msgspec's own errors are ValueErrors
        return None


class KeptRows(Generic[RowT]):
    """The rows of a file, one a line, or of nothing where `file` is None; what a kill cut short does not count."""

    def __init__(self, file: Path | None, kind: type[RowT]) -> None:
        self._file = file
        lines = read_bytes(file, MOST_BYTES).split(b"\n") if file is not None and file.is_file() else []
        self.rows = [row for line in lines if (row := _decode(line, kind)) is not None]

    def done(self, make: Callable[[], RowT], **known: object) -> RowT:
        """The row with these values; made and kept where there is none."""
        rows = (row for row in reversed(self.rows) if all(getattr(row, name) == one for name, one in known.items()))
        found = next(rows, None)
        if found is None:
            found = make()
            self.add(found)
        return found

    def add(self, row: RowT) -> None:
        """Keep one more. BenchError where it cannot be written, on a full disk for one."""
        self.rows.append(row)
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            whole_lines(self._file)
            with self._file.open("ab") as file:
                file.write(msgspec.json.encode(row, enc_hook=str) + b"\n")
        except OSError as error:
            raise BenchError(f"{self._file} cannot be written: {error.strerror or error}") from error


class Line(msgspec.Struct, Generic[ResultT], frozen=True, kw_only=True):
    """A result as it is kept."""

    config: str
    """Changes with everything that shapes a result."""
    model: str = ""
    result: ResultT


class Series(msgspec.Struct, Generic[ResultT], frozen=True, kw_only=True):
    """Pieces of work whose results are kept in one file."""

    file: Path
    line: type[Line[ResultT]]
    config: str
    who: str
    """Who does the work, for people."""
    model: str = ""
    again: Callable[[ResultT], bool] = lambda result: False
    """Whether a piece of work is done once more although it has this result."""


def carry_on(
    series: Series[ResultT], work: Work[Item, ResultT], items: Sequence[Item], engine: Engine
) -> dict[str, ResultT]:
    """The results by name, after every item without one has been done. BenchError where results cannot be kept."""
    kept = KeptRows(series.file, series.line)
    found = {line.result.row: line.result for line in kept.rows if line.config == series.config}
    todo = [item for item in items if (name := work.label(item)) not in found or series.again(found[name])]
    progress = Progress(len(items), len(items) - len(todo), series.who)
    with progress.status if progress.console.is_terminal else nullcontext():
        for result in engine(work, todo):
            kept.add(series.line(config=series.config, model=series.model, result=result))
            found[result.row] = result
            progress.add(result)
    return found


class Progress:
    """Rows, rate, time left, tokens, money, errors: a line that changes on a terminal, one now and then elsewhere."""

    def __init__(self, total: int, done: int, subject: str) -> None:
        self.total, self.done, self.subject = total, done, subject
        self.new = self.failed = 0
        self.used = Usage()
        self._began = self._said = time.monotonic()
        self.console = Terminal(stderr=True)
        self.status = self.console.status(Text(f"{subject}: {done}/{total} done"))

    def add(self, result: Result) -> None:
        """Count one more result, and say how far it is."""
        self.new, self.done = self.new + 1, self.done + 1
        self.failed += bool(result.trouble)
        self.used = self.used.plus(result.usage)
        rate = self.new / max(time.monotonic() - self._began, 1e-9)
        line = (
            f"{self.subject}: {self.done}/{self.total} done, {60 * rate:.1f} a minute, "
            f"{(self.total - self.done) / rate:.0f} s left, {self.used.tokens} tokens, {'' if self.used.usd is None else f'{self.used.usd:.4f} USD, '}"
            f"{self.failed} errors; {result.row}{f': {result.trouble}' if result.trouble else ''}"
        )
        if self.console.is_terminal:
            self.status.update(Text(line))
        elif time.monotonic() - self._said > QUIET_SECONDS:
            self._said = time.monotonic()
            self.console.say(line)


@contextmanager
def lock_folder(folder: Path, out: Path) -> Iterator[None]:
    """Hold a folder of parts of `out` for this process. BenchError where another one works on it, or it cannot be written."""
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(folder / ".lock"))
        except BlockingIOError as error:
            raise BenchError(f"{out} is being written by another process: wait until it has ended") from error
        except OSError as error:
            raise BenchError(f"{out} cannot be written: {error.strerror or error}") from error
        yield


def see_that_it_may_be_replaced(out: Path, parts: Path, lines: str) -> None:
    """BenchError where `out` is a folder, or a file that no earlier call made.

    Args:
        out: Where something is to be written.
        parts: The folder of its parts, which a call leaves beside it.
        lines: What its lines are called.
    """
    if out.is_dir():
        raise BenchError(f"{out} is a folder: name a file for --out")
    if out.is_file() and not parts.is_dir():
        raise BenchError(
            f"the file {out} exists and does not contain {lines}, so it is not replaced: choose another --out"
        )
