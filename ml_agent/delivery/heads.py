"""What a person would look at first: the head of a file, and what in it is doubtful or empty."""

import io
import json
import math
import re
import sqlite3
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, islice
from typing import Any

import msgspec

from ml_agent.delivery.binary_kinds import array_head
from ml_agent.delivery.expectation import Expectation
from ml_agent.delivery.text_kinds import TEXT_KINDS, InvalidContent, is_header, plain_name, rows_of, text_of
from ml_agent.numbers import is_number

MOST_NAMED, MOST_ROWS, MOST_LINES, LINE = 12, 5, 6, 120
_FEW = 5
"""Values; fewer that are all the same say nothing."""
_MOST_NUMBERS = 2_000_000
_MOST_CELLS = 5_000_000
"""Of a table that is made of JSON objects, each with some of its columns; what would have more is shown as text."""
_MOST_ARRAYS, _MOST_TABLES = 4, 3
_SQLITE = b"SQLite format 3\0"
_MOST_STEPS = 50_000_000
"""Of SQLite's machine, for all that is read of a file."""
_BLANK = frozenset({"", "nan", "null", "none", "<na>"})
_ENDLESS = frozenset({"nan", "inf", "-inf", "infinity", "-infinity"})
_SCORE = re.compile(
    r"score|prob|loss|acc(?:uracy)?\b|metric|pred|simil|dist|conf|rmse|mae|mse|auc|logit", re.IGNORECASE
)
_FORMS = {"f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}
"""Of numbers in an array, as `struct` has them."""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What is seen of a file at a glance."""

    lines: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    """What may be as it should be, and is worth a question."""
    void: str = ""
    """Why it is no result, whatever its form; "" where it may be one."""


def head_of(data: bytes, whole: bool, expected: Expectation) -> Head:
    """The head of a file of an expected kind; of what cannot be read as that, its first lines where it is text."""
    try:
        if expected.kind in ("npy", "npz"):
            return _of_arrays(data, expected.kind) if whole else Head()
        if expected.kind == "file" and data.startswith(_SQLITE):
            return _of_database(data, expected) if whole else Head()
        if expected.kind not in TEXT_KINDS and expected.kind != "file":
            return Head()
        text = text_of(data, whole)
    except (InvalidContent, ValueError, LookupError, TypeError, sqlite3.Error, zipfile.BadZipFile):
        return Head()
    try:
        if expected.kind in ("csv", "tsv"):
            return _of_table(rows_of(text, "," if expected.kind == "csv" else "\t"), whole, expected)
        if expected.kind in ("json", "jsonl") and whole:
            return _of_json(text, expected)
    except (InvalidContent, ValueError, RecursionError):
        pass  # what is wrong with it the judgement says; its first lines show it
    return Head(lines=_lines(text))


def _lines(text: str) -> tuple[str, ...]:
    lines = [line.rstrip() for line in text.splitlines()]
    shown = lines if len(lines) <= MOST_LINES + 1 else [*lines[: MOST_LINES - 1], "...", lines[-1]]
    return tuple(cut(line) for line in shown)


def cut(line: str, most: int = LINE) -> str:
    """A line with as many characters as are worth showing."""
    return line if len(line) <= most else f"{line[: most - 3]}..."


class _Column:
    """What the values of a column are like."""

    def __init__(self, name: str) -> None:
        self.name, self.count, self.blank, self.endless, self.numbers = name, 0, 0, 0, 0
        self.first: str | None = None
        self.constant = True

    def add(self, value: str) -> None:
        plain = value.strip().lower()
        self.count += 1
        self.blank += plain in _BLANK
        self.endless += plain in _ENDLESS
        self.numbers += is_number(plain)
        self.first = plain if self.first is None else self.first
        self.constant = self.constant and plain == self.first

    @property
    def void(self) -> bool:
        """Whether it has rows, and nothing in them."""
        return self.count > 0 and self.blank == self.count

    def describe(self) -> str:
        """Its name, its type, and how much of it is empty."""
        kind = "empty throughout" if self.void else "number" if self.numbers == self.count - self.blank else "text"
        return f"{cut(self.name, 40)} ({kind}{f', {self.blank} empty' if self.blank and not self.void else ''})"

    def doubt(self) -> str:
        """What is strange about its values."""
        if self.endless and not self.void:
            return f"column {self.name}: {self.endless} of {self.count} values are NaN or infinite"
        if self.constant and self.count >= _FEW and self.numbers == self.count and _SCORE.search(self.name):
            return f"column {self.name} is {self.first} in all {self.count} rows"
        return ""


def _of_table(rows: Iterator[list[str]], whole: bool, expected: Expectation) -> Head:
    names = next(rows, [])
    first = [] if is_header(names) else [names]
    rows = chain(first, rows)
    shown = list(islice(rows, MOST_ROWS))
    names = [f"column {number}" for number in range(1, len(names) + 1)] if first else names
    columns = [_Column(name) for name in names]
    for row in chain(shown, rows):
        for column, value in zip(columns, row, strict=False):
            column.add(value)
    count = max((column.count for column in columns), default=0)
    wanted = {plain_name(name) for name in expected.columns}
    first_named = sorted(columns, key=lambda column: plain_name(column.name) not in wanted)
    named = ", ".join(column.describe() for column in first_named[:MOST_NAMED])
    more = f" and {len(columns) - MOST_NAMED} more" if len(columns) > MOST_NAMED else ""
    head = f"{count} rows{' without a header' if first else ''}, {len(columns)} columns: {named}{more}"
    left = f"... and {count - len(shown)} more rows"
    lines = (
        head,
        *(cut(",".join(row)) for row in (*([] if first else [names]), *shown)),
        *([left] if count > len(shown) else []),
    )
    return Head(lines=lines, doubts=_doubts(columns), void=_void(columns, expected)) if whole else Head(lines=lines)


def _doubts(columns: Sequence[_Column]) -> tuple[str, ...]:
    void = [column.name for column in columns if column.void]
    some = ", ".join(void[:3]) + (", ..." if len(void) > 3 else "")
    empty = [f"{len(void)} of {len(columns)} columns are empty: {some}"] if void else []
    return (*empty, *[said for column in columns if (said := column.doubt())][:3])


def _void(columns: Sequence[_Column], expected: Expectation) -> str:
    if columns and all(column.void for column in columns):
        return "holds no value: every cell below its header is empty"
    wanted = {plain_name(name) for name in expected.columns}
    empty = [column.name for column in columns if column.void and plain_name(column.name) in wanted]
    return f"has nothing in {', '.join(empty)}" if empty else ""


def _of_json(text: str, expected: Expectation) -> Head:
    values = (
        [json.loads(line) for line in text.split("\n") if line.strip()]
        if expected.kind == "jsonl"
        else json.loads(text)
    )
    if isinstance(values, list) and values and all(isinstance(one, dict) for one in values):
        names = list(dict.fromkeys(name for one in values[:1000] for name in one))
        rows = ([str(one[name]) if one.get(name) is not None else "" for name in names] for one in values)
        if len(names) * len(values) <= _MOST_CELLS:
            return _of_table(chain([names], rows), True, expected)
    if isinstance(values, dict):
        small = json.dumps(values, ensure_ascii=False)
        if len(small) <= 3 * LINE:
            return Head(lines=(small,), doubts=_endless(values))
        parts = [f"{name} ({_kind(value)})" for name, value in islice(values.items(), MOST_NAMED)]
        more = f" and {len(values) - MOST_NAMED} more" if len(values) > MOST_NAMED else ""
        return Head(lines=(cut(f"keys: {', '.join(parts)}{more}", 3 * LINE),), doubts=_endless(values))
    size = f"{len(values)} entries: " if isinstance(values, list) else ""
    return Head(lines=(cut(f"{size}{text.strip()}"),))


def _kind(value: Any) -> str:
    if isinstance(value, (list, dict)):
        return f"{'list' if isinstance(value, list) else 'object'} of {len(value)}"
    return cut(json.dumps(value), 40)


def _endless(values: Mapping[str, Any]) -> tuple[str, ...]:
    names = [name for name, value in values.items() if isinstance(value, float) and not math.isfinite(value)]
    return (f"{', '.join(names[:3])}: NaN or infinite",) if names else ()


def _of_database(data: bytes, expected: Expectation) -> Head:
    """The tables of an SQLite file. It is opened in memory, and nothing but plain reading is allowed: its schema may hold anything."""

    def allowed(action: int, *_: object) -> int:
        return sqlite3.SQLITE_OK if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ) else sqlite3.SQLITE_DENY

    with closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(data[:18] + b"\1\1" + data[20:])  # without the other files of a write-ahead log
        base.set_authorizer(allowed)
        base.set_progress_handler(lambda: True, _MOST_STEPS)
        found = base.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0").fetchall()
        names = [name for (name,) in found if not name.startswith("sqlite_")]
        tables = [(name, _of_rows(base, name, expected)) for name in names[:_MOST_TABLES]]
    lines = [line for name, head in tables for line in (f"table {cut(name, 40)}: {head.lines[0]}", *head.lines[1:4])]
    others = f"other tables: {', '.join(names[_MOST_TABLES:])}"
    doubts = tuple(f"table {name}: {doubt}" for name, head in tables for doubt in head.doubts)
    return Head(lines=(*lines, *([cut(others)] if len(names) > _MOST_TABLES else [])), doubts=doubts)


def _of_rows(base: sqlite3.Connection, table: str, expected: Expectation) -> Head:
    quoted = table.replace('"', '""')
    rows = base.execute(f'SELECT * FROM "{quoted}"')
    names = [str(column[0]) for column in rows.description]
    return _of_table(chain([names], (list(map(_cell, row)) for row in rows)), True, expected)


def _cell(value: object) -> str:
    return "" if value is None else f"{len(value)} bytes" if isinstance(value, bytes) else str(value)[:LINE]


def _of_arrays(data: bytes, kind: str) -> Head:
    if kind == "npy":
        return _of_array("", data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [one.filename for one in archive.infolist() if one.filename.endswith(".npy")][:_MOST_ARRAYS]
        heads = [_of_array(f"{name.removesuffix('.npy')}: ", archive.read(name)) for name in names]
    void = heads[0].void if heads and all(one.void for one in heads) else ""
    lines = tuple(line for one in heads for line in one.lines)
    return Head(lines=lines, doubts=tuple(doubt for one in heads for doubt in one.doubts), void=void)


def _of_array(name: str, data: bytes) -> Head:
    told, begins = array_head(data, len(data), "array")
    line = f"{name}shape {told['shape']}, {told['descr']}"
    kind = str(told["descr"])
    form = _FORMS.get(kind.lstrip("<>|="))
    if form is None:
        return Head(lines=(line,))
    number = min(math.prod(told["shape"]), _MOST_NUMBERS)
    values = struct.unpack_from(f"{'>' if kind.startswith('>') else '<'}{number}{form}", data, begins)
    return _of_numbers(name, line, values)


def _of_numbers(name: str, line: str, values: Sequence[float]) -> Head:
    finite = [one for one in values if math.isfinite(one)]
    if not finite:
        return Head(lines=(line,), void=f"{name}holds nothing but NaN")
    line += f", from {min(finite):.6g} to {max(finite):.6g}"
    odd = len(values) - len(finite)
    doubts = [f"{name}{odd} of {len(values)} numbers are NaN or infinite"] if odd else []
    if len(values) >= _FEW and min(finite) == max(finite) and not odd:
        doubts.append(f"{name}all {len(values)} numbers are {finite[0]:.6g}")
    return Head(lines=(line,), doubts=tuple(doubts))
