"""Results that are kept as JSON, so that a program can be cut at any moment and gone on with."""

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from ml_agent.files import whole_lines
from ml_agent.tools.bounded import read_bytes

MOST_BYTES = 1024**3
"""Of one file with what is kept."""
RowT = TypeVar("RowT", bound=msgspec.Struct)


def read_kept(file: Path, kind: type[RowT]) -> RowT | None:
    """What a JSON file keeps; None where there is none, or it is damaged or of another form."""
    try:
        return decode_kept(read_bytes(file, MOST_BYTES), kind)
    except OSError:
        return None


def decode_kept(text: bytes, kind: type[RowT]) -> RowT | None:
    """What a JSON text holds; None where it is damaged or of another form."""
    try:
        return msgspec.json.decode(text, type=kind, dec_hook=lambda part, value: part(value))
    except (
        ValueError,
        RecursionError,
    ):  # msgspec's own errors are ValueErrors; bytes that are no UTF-8 give another one
        return None


class KeptRows(Generic[RowT]):
    """The rows of a file, one a line, or of nothing where `file` is None; what a kill cut short does not count."""

    def __init__(self, file: Path | None, kind: type[RowT]) -> None:
        self._file = file
        lines = read_bytes(file, MOST_BYTES).split(b"\n") if file is not None and file.is_file() else []
        self.rows = [row for line in lines if (row := decode_kept(line, kind)) is not None]

    def done(self, make: Callable[[], RowT], **known: object) -> RowT:
        """The row with these values; made and kept where there is none."""
        rows = (row for row in reversed(self.rows) if all(getattr(row, name) == one for name, one in known.items()))
        found = next(rows, None)
        if found is None:
            found = make()
            self.add(found)
        return found

    def add(self, row: RowT) -> None:
        """Keep one more."""
        self.rows.append(row)
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            whole_lines(self._file)
            with self._file.open("ab") as file:
                file.write(msgspec.json.encode(row) + b"\n")
