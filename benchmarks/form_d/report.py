"""Agents side by side on the delivery rows that all of them have results for: what was delivered, what was claimed, what it cost."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from urllib.parse import quote

import msgspec
from rich.table import Table

from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.form_d.row import Delivery
from ml_agent.benchmarks.form_d.rows import load_rows
from ml_agent.benchmarks.form_d.run import KEPT, Kept
from ml_agent.benchmarks.kept_rows import KeptRows
from ml_agent.benchmarks.metrics import Interval, cluster_bootstrap
from ml_agent.benchmarks.report import bounds, number, page_environment, percent
from ml_agent.console import Terminal
from ml_agent.files import write_atomically
from ml_agent.model.budget import Price, PriceTable


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over rows."""

    mean: float
    interval: Interval | None
    """Of the mean, 95 %, by drawing whole repositories."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One agent with one model."""

    agent: str
    model: str
    rows: int
    delivered: Measure
    false_claims: Measure
    """Rows of which it said that all is there, and the judge refuses it."""
    refused: Measure
    """Rows of which it said that it failed, and the judge finds everything."""
    silent: int
    """Rows without a word of its own."""
    calls: Measure
    fresh_tokens: Measure
    """Prompt tokens that no cache held."""
    cached_tokens: Measure
    completion_tokens: Measure
    seconds: Measure
    usd: Measure | None
    """None where the price is unknown."""

    @property
    def tokens(self) -> float:
        """Of one row, all kinds together."""
        return self.fresh_tokens.mean + self.cached_tokens.mean + self.completion_tokens.mean

    @property
    def usd_per_delivered(self) -> float | None:
        """The whole cost by the rows delivered."""
        return self.usd.mean / self.delivered.mean if self.usd and self.delivered.mean else None


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent did on a row."""

    delivery: Delivery
    record: str
    """Where its conversation stands, relative to the folder of the report; empty where there is none."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """All agents on their common rows."""

    lines: tuple[Line, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    left_out: tuple[str, ...]
    """Results that nobody can judge, each with the reason, and rows that not all have."""
    price: str
    """What USD were counted by."""


Subject = tuple[str, str]
"""Agent and model."""
Found = dict[Subject, dict[str, Cell]]


def compare(folder: Path, price: Price | None, prices: PriceTable) -> Comparison:
    """Put the agents of all deliveries.jsonl below a folder side by side. BenchError where there is none.

    Args:
        folder: Where `bench run --form D` wrote, for one agent or several.
        price: By which all are counted; None takes each model's from the table.
        prices: The table.
    """
    found, left_out = _read(folder)
    names = [name for name in load_rows() if all(name in cells for cells in found.values())]
    if not names:
        raise BenchError(f"{folder}: no row that every agent in it has a result for")
    left_out += [
        f"{' '.join(who)}: {name} is not done by all"
        for who, cells in found.items()
        for name in cells
        if name not in names
    ]
    lines = tuple(
        _line(who, [cells[name].delivery for name in names], price or prices.find(who[1]))
        for who, cells in found.items()
    )
    return Comparison(
        lines=lines,
        rows=tuple((name, tuple(cells[name] for cells in found.values())) for name in names),
        left_out=tuple(left_out),
        price=_price_text(price),
    )


def _price_text(price: Price | None) -> str:
    if price is None:
        return "each model's own price"
    cached = price.input if price.cached is None else price.cached
    return f"{price.input:g} USD a million prompt tokens, {cached:g} from the cache, {price.output:g} completion"


def _read(folder: Path) -> tuple[Found, list[str]]:
    """The last result of each row by agent and model, and what does not count."""
    files = sorted(folder.rglob(KEPT))
    if not files:
        raise BenchError(f"{folder}: no {KEPT} in it; `ml-agent bench run --form D --out {folder}` makes it")
    found: Found = {}
    trouble: dict[tuple[Subject, str], str] = {}
    for file in files:
        for kept in KeptRows(file, Kept).rows:
            one, who = kept.delivery, (kept.delivery.agent, kept.model)
            cells = found.setdefault(who, {})
            if one.infrastructure:
                trouble[who, one.row] = f"{' '.join(who)}: {one.row}: {one.infrastructure}"
                continue
            trouble.pop((who, one.row), None)
            cells[one.row] = Cell(delivery=one, record=_record(folder, file.parent, one))
    return found, [said for (who, row), said in trouble.items() if row not in found[who]]


def _record(folder: Path, out: Path, one: Delivery) -> str:
    place = out / "records" / one.agent.replace(" ", "-") / one.row / f"try-{one.tries}"
    names = (place / "run/report.html", place / "calls.jsonl", place / "output.log")
    return next((quote(path.relative_to(folder).as_posix()) for path in names if path.is_file()), "")


def _line(who: Subject, rows: Sequence[Delivery], price: Price | None) -> Line:
    repositories = {name: row.source for name, row in load_rows().items()}

    def measure(value: Callable[[Delivery], float]) -> Measure:
        groups: dict[str, list[float]] = {}
        for row in rows:
            groups.setdefault(repositories[row.row], []).append(float(value(row)))
        return Measure(mean=fmean(value(row) for row in rows), interval=cluster_bootstrap(list(groups.values())))

    return Line(
        agent=who[0],
        model=who[1],
        rows=len(rows),
        delivered=measure(lambda row: row.delivered),
        false_claims=measure(lambda row: row.claim is True and not row.delivered),
        refused=measure(lambda row: row.claim is False and row.delivered),
        silent=sum(row.claim is None for row in rows),
        calls=measure(lambda row: row.calls),
        fresh_tokens=measure(lambda row: row.prompt_tokens - row.cached_tokens),
        cached_tokens=measure(lambda row: row.cached_tokens),
        completion_tokens=measure(lambda row: row.completion_tokens),
        seconds=measure(lambda row: row.seconds),
        usd=measure(lambda row: price.cost(row.prompt_tokens, row.completion_tokens, row.cached_tokens))
        if price
        else None,
    )


COLUMNS: tuple[tuple[str, Callable[[Line], Measure | None], int | None], ...] = (
    ("delivered", lambda line: line.delivered, None),
    ("false claims", lambda line: line.false_claims, None),
    ("right results refused", lambda line: line.refused, None),
    ("requests", lambda line: line.calls, 1),
    ("prompt tokens", lambda line: line.fresh_tokens, 0),
    ("cached tokens", lambda line: line.cached_tokens, 0),
    ("completion tokens", lambda line: line.completion_tokens, 0),
    ("seconds", lambda line: line.seconds, 0),
    ("USD", lambda line: line.usd, 4),
)
"""Each with the digits of its figures; None for a share."""


def table_of(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Head and lines of the table, as texts."""
    head = ["agent", "model", "rows", *(name for name, _, _ in COLUMNS), "no word", "USD a delivered row"]
    lines = [
        [
            *(line.agent, line.model, str(line.rows)),
            *(_figure(value(line), digits) for _, value, digits in COLUMNS),
            *(str(line.silent), number(line.usd_per_delivered, 4)),
        ]
        for line in comparison.lines
    ]
    return head, lines


def _figure(measure: Measure | None, digits: int | None) -> str:
    """A mean with its interval."""
    if measure is None:
        return "-"
    shown, around = (percent(measure.mean), bounds(measure.interval)) if digits is None else _number(measure, digits)
    return f"{shown} ({around})" if measure.interval else shown


def _number(measure: Measure, digits: int) -> tuple[str, str]:
    interval = measure.interval
    around = f"{interval.low:.{digits}f} to {interval.high:.{digits}f}" if interval else ""
    return f"{measure.mean:.{digits}f}", around


def print_table(comparison: Comparison, console: Terminal) -> None:
    """The table, turned so that it fits a terminal: agents are columns."""
    head, lines = table_of(comparison)
    table = Table(*(line[0] for line in [head, *lines]), box=None)
    for number_, name in enumerate(head[1:], 1):
        table.add_row(name, *(line[number_] for line in lines))
    console.print(table)
    for said in comparison.left_out:
        console.say(said)


def write_pages(comparison: Comparison, folder: Path) -> list[Path]:
    """Write deliveries.md and deliveries.html into a folder; returns their paths."""
    head, lines = table_of(comparison)
    facts = {
        "comparison": comparison,
        "head": head,
        "table": lines,
        "most_tokens": max(one.tokens for one in comparison.lines),
    }
    written = []
    for name in ("deliveries.md", "deliveries.html"):
        write_atomically(folder / name, page_environment(name).get_template(f"{name}.j2").render(facts))
        written.append(folder / name)
    return written
