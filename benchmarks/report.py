"""Subjects side by side on the rows that all of them have: a table on a terminal, and one HTML page.

A subject is what `bench score --json` printed, or an agent of form D: then what it delivered stands beside its own word.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import NamedTuple
from urllib.parse import quote

import jinja2
import msgspec
from rich.table import Table

from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.metrics import KS, Interval, cluster_bootstrap, mcnemar, official_pass, wilson
from ml_agent.benchmarks.predictions import Usage
from ml_agent.benchmarks.results import KeptRows, Line
from ml_agent.benchmarks.scoring import CLASSES, NO_ANSWER, Score, ScoredRow
from ml_agent.benchmarks.work import record_of
from ml_agent.files import write_atomically
from ml_agent.model.budget import Price, PriceTable
from ml_agent.terminal import Terminal

SMALLEST_P, SIGNIFICANT = 0.0001, 0.05
LABEL_HEIGHT = 15.0


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """What a subject did on a row."""

    passed: tuple[bool, ...]
    """By attempt; delivered or not in form D."""
    repository: str
    word: str
    """The verdict on the first attempt."""
    texts: Mapping[str, str] = {}
    """What a reader may open: the reason, the answer, the reference."""
    record: str = ""
    """Where its conversation stands, relative to the folder of the report."""
    usage: Usage = Usage()
    claim: bool | None = None
    error_class: str = ""
    gate: bool | None = None
    """Whether the published rules 1 and 2 pass the first answer; None where they do not apply."""
    answered: bool = True
    kind: str = ""
    request: str = ""

    @property
    def first(self) -> bool:
        """Whether the first attempt passes."""
        return any(self.passed[:1])


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """One subject on its rows."""

    name: str
    mode: str
    """How it was judged; only subjects of one mode are tested against each other."""
    cells: Mapping[str, Cell]
    """By row."""
    left_out: tuple[str, ...] = ()
    """Rows that nobody can judge, each with the reason."""


class Figures(NamedTuple):
    """What columns are made of: a subject's cells on the common rows."""

    subject: Subject
    cells: Sequence[Cell]
    price: Price | None

    def mean(self, value: Callable[[Cell], float], *, share: bool = False) -> "Measure":
        """A mean over rows with its interval."""
        groups: dict[str, list[float]] = {}
        for cell in self.cells:
            groups.setdefault(cell.repository, []).append(float(value(cell)))
        interval = (wilson if share else cluster_bootstrap)(list(groups.values()))
        return Measure(fmean(map(value, self.cells)), interval)

    @property
    def usd(self) -> float | None:
        """Of all rows, at the stated price where there is one."""
        if self.price is not None:
            used = [cell.usage for cell in self.cells]
            return sum(self.price.cost(u.prompt_tokens, u.completion_tokens, u.cached_tokens) for u in used)
        costs = [cell.usage.usd for cell in self.cells]
        return None if not self.measured or None in costs else sum(cost or 0.0 for cost in costs)

    @property
    def measured(self) -> bool:
        """Whether the rows say what they cost."""
        return any(cell.usage != Usage() for cell in self.cells)


class Measure(NamedTuple):
    """A mean over rows, and its 95 % interval."""

    mean: float
    interval: Interval | None

    def text(self, digits: int | None = None) -> str:
        """For people; a share where there are no digits."""
        shown = percent(self.mean) if digits is None else f"{self.mean:.{digits}f}"
        if self.interval is None:
            return shown
        low, high = (percent(one) if digits is None else f"{one:.{digits}f}" for one in self.interval)
        return f"{shown} ({low} to {high})"


Column = tuple[str, Callable[[Figures], str]]


def _scored_columns(shown: Sequence[Figures]) -> list[Column]:
    ks = [k for k in KS if any(official_pass([c.passed for c in one.cells], k) is not None for one in shown)]

    def passes(k: int) -> Column:
        return f"Pass@{k}", lambda one: percent(official_pass([cell.passed for cell in one.cells], k))

    return [
        ("rows", lambda one: str(len(one.cells))),
        *map(passes, ks),
        ("95 % of Pass@1", lambda one: bounds(one.mean(lambda cell: cell.first, share=True).interval)),
        (OFFICIAL_COLUMN, lambda one: percent(_mean([cell.gate for cell in one.cells]))),
        *((name, _if_measured(name, value, digits)) for name, value, digits in SPENT),
        ("USD", lambda one: _usd(one, 1)),
        ("USD a solved row", lambda one: _usd(one, sum(cell.first for cell in one.cells))),
        ("without answer", lambda one: str(sum(not cell.answered for cell in one.cells))),
    ]


INTERVALS = (
    "95 % intervals: Wilson's for shares, with rows of one repository counted as fewer rows if they are alike; for amounts, "
    "a bootstrap over repositories; of a single repository there is none. With fewer than about ten repositories they say little about "
    "other repositories."
)
OFFICIAL_COLUMN = "mentions every value"
OFFICIAL = (
    f"{OFFICIAL_COLUMN!r}: ML-Bench's official rules 1 and 2 (every value is in the answer, in the right language), on rows whose reference "
    "passes them. Such an answer can still be wrong, so this share is usually larger."
)
SPENT: tuple[tuple[str, Callable[[Cell], float], int], ...] = (
    ("tokens a row", lambda cell: cell.usage.tokens, 0),
    ("seconds a row", lambda cell: cell.usage.seconds, 1),
)
DELIVERED: tuple[tuple[str, Callable[[Cell], float], int | None], ...] = (
    ("delivered", lambda cell: cell.first, None),
    ("false claims", lambda cell: cell.claim is True and not cell.first, None),
    ("right results called failed", lambda cell: cell.claim is False and cell.first, None),
    ("requests", lambda cell: cell.usage.calls, 1),
    ("prompt tokens", lambda cell: cell.usage.prompt_tokens - cell.usage.cached_tokens, 0),
    ("cached tokens", lambda cell: cell.usage.cached_tokens, 0),
    ("completion tokens", lambda cell: cell.usage.completion_tokens, 0),
    ("seconds", lambda cell: cell.usage.seconds, 0),
)
"""Columns of form D, each with the digits of its figures; None for a share."""


def _delivered_columns(shown: Sequence[Figures]) -> list[Column]:
    def column(name: str, value: Callable[[Cell], float], digits: int | None) -> Column:
        return name, lambda one: one.mean(value, share=digits is None).text(digits)

    return [
        ("rows", lambda one: str(len(one.cells))),
        *(column(*one) for one in DELIVERED),
        ("no claim", lambda one: str(sum(cell.claim is None for cell in one.cells))),
        ("USD", lambda one: _usd(one, len(one.cells))),
        ("USD a delivered row", lambda one: _usd(one, sum(cell.first for cell in one.cells))),
    ]


def _if_measured(name: str, value: Callable[[Cell], float], digits: int) -> Callable[[Figures], str]:
    return lambda one: number(fmean(map(value, one.cells)) if one.measured else None, digits)


def _usd(one: Figures, rows: int) -> str:
    if one.measured and one.usd is None:
        return "no price"
    return number(one.usd / rows if one.usd is not None and rows else None, 4)


def _mean(values: Sequence[bool | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _shares(cells: Sequence[Cell]) -> dict[str, tuple[float, int]]:
    """The share of rows that pass, and their number, by repository."""
    groups: dict[str, list[bool]] = {}
    for cell in cells:
        groups.setdefault(cell.repository, []).append(cell.first)
    return {name: (fmean(passed), len(passed)) for name, passed in sorted(groups.items())}


class Pair(NamedTuple):
    """Two subjects, paired by row: McNemar's exact test on first attempts."""

    first: str
    second: str
    only_first: int
    only_second: int
    p: float
    rows: int
    unanswered: tuple[int, int]
    """Rows without an answer from either, which count as failed."""


class Point(NamedTuple):
    """One subject in the chart of success against tokens, in its own units; the label stands on `label_y`."""

    name: str
    x: float
    y: float
    label_y: float


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """All subjects on their common rows, as a report says it."""

    title: str
    about: tuple[str, ...]
    head: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    subjects: tuple[Subject, ...]
    keys: tuple[str, ...]
    """The rows that all subjects have."""
    pairs: tuple[Pair, ...]
    verdicts: tuple[str, ...]
    """For each pair, a sentence."""
    left_out: tuple[str, ...]


def compare(
    subjects: Sequence[Subject], about: Sequence[str] = (), price: Price | PriceTable | None = None
) -> Comparison:
    """Put subjects side by side; figures are over common rows only, so that nobody gains by what was not tried.

    Args:
        subjects: At least one; scores of several modes stand beside each other under the subject's name and mode.
        about: What is said above the table.
        price: By which all agents of form D are counted, or the table that has each model's.
    """
    modes = tuple(dict.fromkeys(one.mode for one in subjects))
    if len(modes) > 1:
        subjects = [msgspec.structs.replace(one, name=f"{one.name} ({one.mode})") for one in subjects]
    keys = tuple(key for key in subjects[0].cells if all(key in one.cells for one in subjects))
    if not keys:
        raise BenchError("there is nothing to compare: no row has a result from every agent")
    prices = [price.find(one.mode) if isinstance(price, PriceTable) else price for one in subjects]
    shown = [Figures(one, [one.cells[key] for key in keys], paid) for one, paid in zip(subjects, prices, strict=True)]
    delivered = price is not None
    columns = (_delivered_columns if delivered else _scored_columns)(shown)
    lost = {one.name: len(one.cells) - len(keys) for one in subjects}
    dropped = [f"{name}: {many} rows that not all agents have" for name, many in lost.items() if many]
    what = "Delivered results" if delivered else "Right answers"
    judged = f"{'Models' if delivered else 'Scored by'}: {', '.join(filter(None, modes)) or 'none'}."
    notes = (INTERVALS, "") if delivered else (INTERVALS, OFFICIAL)
    paired = [(a, b) for a, b in combinations(shown, 2) if delivered or a.subject.mode == b.subject.mode]
    pairs = tuple(_pair(a, b) for a, b in paired)
    return Comparison(
        title=f"{what}: {len(subjects)} agent{'s' * (len(subjects) != 1)} on {len(keys)} rows",
        about=(
            *about,
            f"{judged} ML-Agent {version('ml-agent')}.",
            *filter(None, notes),
        ),
        head=("agent", *(name for name, _ in columns)),
        table=tuple((one.subject.name, *(value(one) for _, value in columns)) for one in shown),
        subjects=tuple(subjects),
        keys=keys,
        pairs=pairs,
        verdicts=tuple(map(_verdict, pairs)),
        left_out=(*(f"{one.name}: {said}" for one in subjects for said in one.left_out), *dropped),
    )


def _pair(a: Figures, b: Figures) -> Pair:
    first, second = ([cell.first for cell in one.cells] for one in (a, b))
    both = list(zip(first, second, strict=True))
    p = mcnemar(first, second)
    return Pair(
        a.subject.name,
        b.subject.name,
        sum(x and not y for x, y in both),
        sum(y and not x for x, y in both),
        p,
        len(both),
        (sum(not cell.answered for cell in a.cells), sum(not cell.answered for cell in b.cells)),
    )


def _verdict(pair: Pair) -> str:
    """What the paired test says, and on how many rows it stands without an answer."""
    silent = [
        f" {many} of {pair.rows} rows {'has' if many == 1 else 'have'} no answer from {name} and count{'s' * (many == 1)} as failed."
        for name, many in zip((pair.first, pair.second), pair.unanswered, strict=True)
        if many
    ]
    return _who_is_better(pair) + "".join(silent)


def _who_is_better(pair: Pair) -> str:
    apart = pair.only_first - pair.only_second
    if not apart:
        return f"{pair.first} and {pair.second} succeed on equally many rows ({pair.only_first} rows only by one, {pair.only_second} only by the other)."
    better, worse = (pair.first, pair.second) if apart > 0 else (pair.second, pair.first)
    chance = "may be chance" if pair.p >= SIGNIFICANT else "is unlikely to be chance"
    p = f"{pair.p:.4f}" if pair.p >= SMALLEST_P else f"< {SMALLEST_P}"
    more, fewer = max(pair.only_first, pair.only_second), min(pair.only_first, pair.only_second)
    return (
        f"{better} succeeds on {abs(apart)} more row{'s' * (abs(apart) > 1)} than {worse} "
        f"({more} only by {better}, {fewer} only by {worse}): this {chance} (McNemar's test, p {p})."
    )


def of_scores(scored: Sequence[Score], folder: Path) -> list[Subject]:
    """Subjects of scores; records are looked for beside `folder`. Those of one name are told apart by their files."""
    many = Counter((one.subject, one.mode) for one in scored)
    return [
        Subject(
            name=f"{one.subject} ({one.name})" if many[one.subject, one.mode] > 1 and one.name else one.subject,
            mode=one.mode,
            cells={row.key: _scored_cell(row, one, folder) for row in one.rows},
            left_out=tuple(f"{row.key}: {row.reason}" for row in one.left_out),
        )
        for one in scored
    ]


def _scored_cell(row: ScoredRow, of: Score, folder: Path) -> Cell:
    why = "".join(row.error_class[:1])
    reason = "".join(row.reason[:1])
    places = (folder / f"../records/{of.name}/{row.key}-0/try-1", folder / f"../records/{row.key}-0/try-1")
    record = next((found for place in places if of.name and (found := record_of(place))), None)
    texts = {"reason": reason, "answer": row.answer, "reference": row.reference}
    return Cell(
        passed=row.passed, repository=row.repository, word="passes" if row.first else why or "fails",
        texts={name: text for name, text in texts.items() if text}, record=_link(record, folder), usage=row.usage,
        error_class=why, gate=row.gates[0] if row.gates else None, kind=row.kind, request=row.instruction,
        answered=not (row.reason and all(text.startswith(NO_ANSWER) for text in row.reason)),
    )  # fmt: skip


def _link(record: Path | None, folder: Path) -> str:
    return quote(record.relative_to(folder).as_posix()) if record is not None else ""


def of_deliveries(folder: Path) -> list[Subject]:
    """The agents of all deliveries.jsonl below a folder, each with its model as its mode. BenchError where there is none."""
    from ml_agent.benchmarks.form_d.run import KEPT, Delivery

    found: dict[tuple[str, str], dict[str, Cell]] = {}
    trouble: dict[tuple[tuple[str, str], str], str] = {}
    for file in sorted(folder.rglob(KEPT)):
        for line in KeptRows(file, Line[Delivery]).rows:
            one, who = line.result, (line.result.agent, line.model)
            cells = found.setdefault(who, {})
            if one.infrastructure:
                trouble[who, one.row] = f"{one.row}: {one.infrastructure}"
                continue
            trouble.pop((who, one.row), None)
            place = file.parent / "records" / one.agent.replace(" ", "-") / one.row / f"try-{one.tries}"
            said = {True: "done", False: "failed", None: "nothing"}[one.claim]
            cells[one.row] = Cell(
                passed=(one.delivered,), repository=one.repository, claim=one.claim, usage=one.usage,
                word=f"{'delivered' if one.delivered else 'refused'}, says {said}", kind=one.field,
                texts={name: text for name, text in (("judge", one.refusal), ("agent", one.error)) if text},
                record=_link(record_of(place), folder), request=one.request,
            )  # fmt: skip
    if not found:
        raise BenchError(f"the folder {folder} has no {KEPT}: `ml-agent bench run --form D --out {folder}` writes it")
    return [
        Subject(
            name=name,
            mode=model,
            cells=cells,
            left_out=tuple(said for (who, row), said in trouble.items() if who == (name, model) and row not in cells),
        )
        for (name, model), cells in found.items()
    ]


def price_text(price: Price | None) -> str:
    """What USD of form D are counted by."""
    if price is None:
        return "USD at each model's own price."
    cached = price.input if price.cached is None else price.cached
    return f"USD: {price.input:g} a million prompt tokens, {cached:g} from the cache, {price.output:g} completion."


def percent(value: float | None) -> str:
    """A share for people."""
    return "-" if value is None else f"{100 * value:.1f} %"


def number(value: float | None, digits: int) -> str:
    """A number for people."""
    return "-" if value is None else f"{value:.{digits}f}"


def bounds(interval: Interval | None) -> str:
    """An interval for people."""
    return f"{percent(interval.low)} to {percent(interval.high)}" if interval else "-"


def print_comparison(comparison: Comparison, console: Terminal) -> None:
    """The table, turned so that it fits a terminal: subjects are columns; then repositories, pairs, error classes and what is left out."""
    for verdict in comparison.verdicts:
        console.say(verdict)
    lines = [comparison.head, *comparison.table]
    table = Table(*(line[0] for line in lines), box=None)
    for place, name in enumerate(comparison.head[1:], 1):
        table.add_row(name, *(line[place] for line in lines[1:]))
    console.print(table)
    by_repository = Table("repository", *(one.name for one in comparison.subjects), box=None)
    for name, shares in _by_repository(comparison):
        by_repository.add_row(name, *(percent(share) for share, _ in shares))
    console.print(by_repository)
    for one in comparison.subjects:
        classes = Counter(kind for key in comparison.keys if (kind := one.cells[key].error_class))
        for name, count in sorted(classes.items()):
            console.say(f"{one.name}: {count} row{'s' * (count > 1)} failed with {name} ({CLASSES[name]})")
    for said in comparison.left_out:
        console.say(f"left out: {said}")


def _by_repository(comparison: Comparison) -> list[tuple[str, list[tuple[float | None, int]]]]:
    shares = [_shares([one.cells[key] for key in comparison.keys]) for one in comparison.subjects]
    names = sorted({name for several in shares for name in several})
    return [(name, [several.get(name, (None, 0)) for several in shares]) for name in names]


def write_report(comparison: Comparison, folder: Path) -> Path:
    """Write report.html into a folder; returns its path."""
    cells = [[one.cells[key] for key in comparison.keys] for one in comparison.subjects]
    tokens = [fmean(cell.usage.tokens for cell in several) for several in cells]
    classes = [Counter(cell.error_class for cell in several if cell.error_class) for several in cells]
    facts = {
        "comparison": comparison,
        "classes": CLASSES if any(map(len, classes)) else {},
        "errors": list(zip((one.name for one in comparison.subjects), classes, strict=True)),
        "by_repository": _by_repository(comparison),
        "points": _points(comparison.subjects, cells, tokens),
        "most_tokens": max(tokens),
    }
    folder.mkdir(parents=True, exist_ok=True)
    page = jinja2.Environment(
        loader=jinja2.PackageLoader("ml_agent.benchmarks", "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page.filters |= {"percent": percent, "number": number}
    write_atomically(folder / "report.html", page.get_template("report.html.j2").render(facts))
    return folder / "report.html"


def _points(subjects: Sequence[Subject], cells: Sequence[Sequence[Cell]], tokens: Sequence[float]) -> list[Point]:
    """The subjects whose tokens are known, from top to bottom, each label below the one before it."""
    most = max(tokens) or 1.0
    known = [
        (fmean(cell.first for cell in several), 60 + 560 * used / most, one.name)
        for one, several, used in zip(subjects, cells, tokens, strict=True)
        if any(cell.usage != Usage() for cell in several)
    ]
    found: list[Point] = []
    for share, x, name in sorted(known, key=lambda point: -point[0]):
        y = 340 - 320 * share
        lowest = max((one.label_y for one in found), default=0.0)
        found.append(Point(name, x, y, max(y - 4, lowest + LABEL_HEIGHT)))
    return found
