"""What a run made, as it can be shown on a page: pictures as pictures, tables as tables, the head of texts."""

import base64
import csv
import io
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec

from ml_agent.delivery.binary_kinds import picture_size
from ml_agent.tools.walk import Walk

PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif"}
"""SVG is left out: it may carry scripts."""
TABLES = {".csv": ",", ".tsv": "\t"}
TEXTS = {".json", ".jsonl", ".txt", ".log", ".md", ".yaml", ".yml", ".toml", ".srt", ".vtt"}

MOST_FILES = 60
MOST_PICTURE_BYTES = 600_000
MOST_PIXELS = 20_000_000
"""Of one picture: a few bytes can unpack to gigabytes in a browser."""
MOST_EMBEDDED_BYTES = 4_000_000
"""All pictures of a page together."""
MOST_TEXT_BYTES = 4_000
MOST_ROWS = 20
MOST_CELLS = 12
_CELL = 60


class OutputView(msgspec.Struct, frozen=True, kw_only=True):
    """One file that a run made."""

    path: str
    """Relative to the run's folder: the link on the page."""
    size: int
    """Bytes."""
    kind: Literal["picture", "table", "text", "file"]
    picture: str = ""
    """A data URI."""
    rows: tuple[tuple[str, ...], ...] = ()
    text: str = ""


def outputs_of(folder: Path) -> tuple[OutputView, ...]:
    """The files below a run's `outputs`, in order of their names; links are left out."""
    root = folder / "outputs"
    if not root.is_dir() or root.is_symlink():
        return ()
    found: list[OutputView] = []
    left = MOST_EMBEDDED_BYTES
    for entry in islice((entry for entry in Walk(root) if entry.is_file), MOST_FILES):
        view = _view(root / entry.path, f"outputs/{entry.path}", left)
        left -= len(view.picture)
        found.append(view)
    return tuple(found)


def _view(path: Path, name: str, left: int) -> OutputView:
    size, ending = path.stat().st_size, path.suffix.lower()
    if ending in PICTURES and size <= min(MOST_PICTURE_BYTES, left):
        content = path.read_bytes()
        shape = picture_size(content)
        if shape is None or shape[0] * shape[1] > MOST_PIXELS:
            return OutputView(path=name, size=size, kind="file")
        data = base64.b64encode(content).decode()
        return OutputView(path=name, size=size, kind="picture", picture=f"data:{PICTURES[ending]};base64,{data}")
    if ending in TABLES or ending in TEXTS:
        text = _head(path)
        if ending in TABLES:
            return OutputView(path=name, size=size, kind="table", rows=_rows(text, TABLES[ending]))
        return OutputView(path=name, size=size, kind="text", text=text)
    return OutputView(path=name, size=size, kind="file")


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MOST_TEXT_BYTES).decode("utf-8", errors="replace")


def _rows(text: str, delimiter: str) -> tuple[tuple[str, ...], ...]:
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))[:MOST_ROWS]
    except csv.Error:  # not a table after all
        return ()
    return tuple(tuple(cell[:_CELL] for cell in row[:MOST_CELLS]) for row in rows)
