"""Results that are kept one JSON line each, so that a program can be cut at any moment and gone on with."""

from pathlib import Path
from typing import Generic, TypeVar

import msgspec

RowT = TypeVar("RowT", bound=msgspec.Struct)


class KeptRows(Generic[RowT]):
    """The rows of a file, or of nothing where `file` is None; a line that a kill cut short does not count."""

    def __init__(self, file: Path | None, kind: type[RowT]) -> None:
        self._file = file
        self.rows: list[RowT] = []
        text = file.read_text(encoding="utf-8") if file is not None and file.is_file() else ""
        self._before = "" if text.endswith("\n") or not text else "\n"
        for line in text.splitlines():
            try:
                self.rows.append(msgspec.json.decode(line, type=kind))
            except msgspec.DecodeError:  # a ValidationError is one, too: a row of an older form is done again
                continue

    def add(self, row: RowT) -> None:
        """Keep one more."""
        self.rows.append(row)
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as file:
                file.write(self._before + msgspec.json.encode(row).decode() + "\n")
            self._before = ""
