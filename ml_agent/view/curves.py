"""Series that a program printed or wrote (loss, accuracy, reward), as curves that a page can draw."""

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

import msgspec

MEASURES = frozenset(
    [
        "loss",
        "acc",
        "accuracy",
        "error",
        "reward",
        "return",
        "perplexity",
        "ppl",
        "f1",
        "auc",
        "mse",
        "mae",
        "rmse",
        "psnr",
        "ssim",
        "iou",
        "miou",
        "dice",
        "bleu",
        "wer",
        "fid",
        "score",
    ]
)
"""Words that a series' name has one of."""
_POINT = re.compile(
    r"(?<![\w./@-])(?P<name>(?:(?:train|training|val|valid|validation|test|eval|dev) )?[A-Za-z][\w./@-]{0,40})"
    r"['\"]?\s{0,2}[:=]?\s{0,3}(?P<value>[-+]?\d{1,15}(?:\.\d{1,18})?(?:e[-+]?\d{1,3})?)(?![\w./]?\w)",
    re.IGNORECASE,
)
FEWEST_POINTS, MOST_POINTS, MOST_CURVES = 3, 240, 6
MOST_BYTES = 1_000_000
"""Of a log or a table."""
MOST_TABLES, MOST_COLUMNS = 10, 200
_LINE, _LONGEST_NAME = 2_000, 60
WIDTH, HEIGHT = 320.0, 90.0


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """One series, ready to be drawn."""

    name: str
    source: str
    """The log, or the file, that it is from."""
    count: int
    """How many values there are; of many, some are drawn."""
    first: float
    last: float
    least: float
    most: float
    points: str
    """For an SVG polyline of WIDTH by HEIGHT."""


def curves_of(log: Path | None, tables: Iterable[Path]) -> tuple[Curve, ...]:
    """The curves of a program's log, then of the first tables that it made; series with fewer than three values are none."""
    found = [] if log is None else list(_curves(_of_log(_text(log)), log.name))
    for path in islice(tables, MOST_TABLES):
        if len(found) < MOST_CURVES:
            found += _curves(_of_table(_text(path), "\t" if path.suffix == ".tsv" else ","), path.name)
    return tuple(found[:MOST_CURVES])


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MOST_BYTES).decode("utf-8", errors="replace")


def _of_log(text: str) -> dict[str, list[float]]:
    """The numbers behind each name of a measure, in the order in which they were printed; one a name and line."""
    series: dict[str, list[float]] = {}
    for line in re.split(r"[\r\n]+", text):
        said = {match["name"].lower(): match["value"] for match in _POINT.finditer(line[:_LINE])}
        for name, value in ((name, value) for name, value in said.items() if _is_measure(name)):
            series.setdefault(name, []).append(float(value))
    return series


def _of_table(text: str, delimiter: str) -> dict[str, list[float]]:
    """The columns that are named like a measure and hold numbers alone; of two with one name the first."""
    series: dict[str, list[float]] = {}
    try:
        table = csv.reader(io.StringIO(text), delimiter=delimiter)
        head = next(table, [])
        named = [
            name if name not in head[:at] and _is_measure(name) else "" for at, name in enumerate(head[:MOST_COLUMNS])
        ]
        for row in table if any(named) else ():
            for name, cell in zip(named, row, strict=False):
                if name:
                    series.setdefault(name, []).append(_number(cell))
    except csv.Error:  # not a table after all
        return {}
    return series


def _is_measure(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and not MEASURES.isdisjoint(re.split(r"[^a-z0-9]+", name.lower()))


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def _curves(series: Mapping[str, list[float]], source: str) -> Iterable[Curve]:
    for name, values in series.items():
        known = [value for value in values if math.isfinite(value)]
        if len(known) >= FEWEST_POINTS and len(known) > len(values) / 2:
            yield Curve(
                name=name, source=source, count=len(known), first=known[0], last=known[-1], least=min(known),
                most=max(known), points=_points(known),
            )  # fmt: skip


def _points(values: list[float]) -> str:
    """The values as places of a drawing: the first on the left, the greatest at the top."""
    step = max(1, math.ceil(len(values) / MOST_POINTS))
    shown = values[::step] if (len(values) - 1) % step == 0 else [*values[::step], values[-1]]
    least, span = min(values), max(values) - min(values)
    places = (
        (WIDTH * at / (len(shown) - 1), HEIGHT * (1 - (value - least) / span) if span > 0 else HEIGHT / 2)
        for at, value in enumerate(shown)
    )
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
