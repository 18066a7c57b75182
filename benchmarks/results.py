"""Results on disk, one JSON line each, so that a run which was cut at any moment goes on where it stopped.

`carry_on` is what all forms share: it reads what is kept, gives an engine the items that have no result, keeps each outcome as it comes,
and tells how far it is. A result counts only for the configuration (agent, model, limits, version) that made it.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from rich.text import Text

from ml_agent.benchmarks.engines import Engine, Item, Work
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.predictions import Ended, Usage
from ml_agent.files import locked, whole_lines
from ml_agent.terminal import Terminal
from ml_agent.tools.bounded import read_bytes

MOST_BYTES = 1024**3
"""Of one file of results."""
QUIET_SECONDS = 30.0
"""Where stderr is no terminal, progress is told no more often than this."""
RowT = TypeVar("RowT", bound=msgspec.Struct)


class RowResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a piece of work: a row, or one attempt at it."""

    row: str
    """Its name."""
    agent: str = ""
    ended: Ended | None = None
    """None where the agent never ran."""
    claim: bool | None = None
    """Its own word: whether the results are there and right; None where it gives none."""
    error: str = ""
    """The agent's."""
    infrastructure: str = ""
    """Why nobody can say what the agent does: the last try failed for a reason that is not the agent's."""
    usage: Usage = Usage()
    """Of all tries."""
    tries: int = 0
    config: str = ""
    """Changes with everything that shapes a result."""
    model: str = ""

    @property
    def trouble(self) -> str:
        """Why it is not as it should be."""
        return self.infrastructure or self.error


ResultT = TypeVar("ResultT", bound=RowResult)


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
    """The rows of a file, one a line; what a kill cut short does not count."""

    def __init__(self, file: Path, kind: type[RowT]) -> None:
        self._file = file
        lines = read_bytes(file, MOST_BYTES).split(b"\n") if file.is_file() else []
        self.rows = [row for line in lines if (row := _decode(line, kind)) is not None]

    def add(self, row: RowT) -> None:
        """Keep one more. BenchError where it cannot be written, on a full disk for one."""
        self.rows.append(row)
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            whole_lines(self._file)
            with self._file.open("ab") as file:
                file.write(msgspec.json.encode(row, enc_hook=str) + b"\n")
        except OSError as error:
            raise BenchError(f"{self._file} cannot be written: {error.strerror or error}") from error


class Series(msgspec.Struct, Generic[ResultT], frozen=True, kw_only=True):
    """Pieces of work whose results are kept in one file."""

    file: Path
    kind: type[ResultT]
    config: str
    who: str
    """Who does the work, for people."""
    model: str = ""


def carry_on(
    series: Series[ResultT], work: Work[Item, ResultT], items: Sequence[Item], engine: Engine
) -> list[ResultT]:
    """Do each item that has no result of this configuration, or only one that failed for its infrastructure; all results, in order.

    BenchError where results cannot be kept, or another process writes them.
    """
    with _held(series.file.parent):
        kept = KeptRows(series.file, series.kind)
        found = {one.row: one for one in kept.rows if one.config == series.config}
        todo = [item for item in items if (name := work.label(item)) not in found or found[name].infrastructure]
        progress = Progress(len(items), len(items) - len(todo), series.who)
        with progress.status if progress.console.is_terminal else nullcontext():
            for outcome in engine(work, todo):
                result = msgspec.structs.replace(outcome, config=series.config, model=series.model)
                kept.add(result)
                found[result.row] = result
                progress.add(result)
    return [found[work.label(item)] for item in items]


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold a folder of results for this process. BenchError where another one works on it, or it cannot be written."""
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(folder / ".lock"))
        except BlockingIOError as error:
            raise BenchError(f"{folder} is being written by another process: wait until it has ended") from error
        except OSError as error:
            raise BenchError(f"{folder} cannot be written: {error.strerror or error}") from error
        yield


class Progress:
    """Rows, rate, time left, tokens, money, errors: a line that changes on a terminal, one now and then elsewhere."""

    def __init__(self, total: int, done: int, subject: str) -> None:
        self.total, self.done, self.subject = total, done, subject
        self.new = self.failed = 0
        self.used = Usage()
        self._began = self._said = time.monotonic()
        self.console = Terminal(stderr=True)
        self.status = self.console.status(Text(f"{subject}: {done}/{total} done"))

    def add(self, result: RowResult) -> None:
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
