"""Subjects side by side on the rows that all of them have: a table on a terminal, and one HTML page.

A subject is what `bench score --json` printed (`of_scores`), or an agent of form D (`of_deliveries`), whose own word stands beside what it
delivered. `compare` makes the table: a column is a name and a function of a subject's `Figures`. `print_comparison` and `write_report` show it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple
from urllib.parse import quote

import jinja2
import msgspec

from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.metrics import KS, cluster_bootstrap, mcnemar, official_pass, rate, wilson
from ml_agent.benchmarks.predictions import Usage
from ml_agent.benchmarks.results import KeptRows
from ml_agent.benchmarks.scoring import CLASSES, NO_ANSWER, Score, ScoredRow
from ml_agent.benchmarks.work import record_of
from ml_agent.cli.tables import write_table
from ml_agent.files import write_atomically
from ml_agent.model.budget import Price, load_prices
from ml_agent.terminal import write_out

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
    """How it was judged, or its model in form D; answers that were judged in different ways are not tested against each other."""
    cells: Mapping[str, Cell]
    """By row."""
    left_out: tuple[str, ...] = ()
    """Rows that nobody can judge, each with the reason."""
    delivers: bool = False
    """Whether it is an agent of form D."""


class Figures(NamedTuple):
    """What columns are made of: a subject's cells on the common rows."""

    subject: Subject
    cells: Sequence[Cell]
    price: Price | None

    def mean(self, value: Callable[[Cell], float], digits: int | None = None) -> str:
        """A mean over rows with its 95 % interval; a share where there are no digits."""
        groups: dict[str, list[float]] = {}
        for cell in self.cells:
            groups.setdefault(cell.repository, []).append(float(value(cell)))
        interval = (wilson if digits is None else cluster_bootstrap)(list(groups.values())) or ()
        mean, *bounds = (number(one, digits) for one in (fmean(map(value, self.cells)), *interval))
        return f"{mean} ({' to '.join(bounds)})" if bounds else mean

    @property
    def measured(self) -> bool:
        """Whether the rows say what they cost."""
        return any(cell.usage != Usage() for cell in self.cells)

    def amount(self, value: Callable[[Cell], float], digits: int) -> str:
        """A mean of what rows cost."""
        return self.mean(value, digits) if self.measured else "-"

    def usd(self, rows: int) -> str:
        """USD of all rows by a number of rows, at the stated price where there is one."""
        used = [cell.usage for cell in self.cells]
        costs = [one.usd for one in used]
        if self.price is not None:
            costs = [self.price.cost(one.prompt_tokens, one.completion_tokens, one.cached_tokens) for one in used]
        if self.measured and None in costs:
            return "no price"
        return f"{sum(cost or 0.0 for cost in costs) / rows:.4f}" if self.measured and rows else "-"


Column = tuple[str, Callable[[Figures], str]]
AMOUNTS: tuple[tuple[str, Callable[[Cell], float], int], ...] = (
    ("requests", lambda cell: cell.usage.calls, 1),
    ("prompt tokens", lambda cell: cell.usage.prompt_tokens - cell.usage.cached_tokens, 0),
    ("cached tokens", lambda cell: cell.usage.cached_tokens, 0),
    ("completion tokens", lambda cell: cell.usage.completion_tokens, 0),
    ("seconds", lambda cell: cell.usage.seconds, 1),
)
"""What a row costs, each with the digits of its mean."""
INTERVALS = (
    "Means over rows. 95 % intervals: Wilson's for shares, with rows of one repository counted as fewer rows if they are alike; for amounts, "
    "a bootstrap over repositories; of a single repository there is none. With fewer than about ten repositories they say little about "
    "other repositories."
)
OFFICIAL_COLUMN = "mentions every value"
OFFICIAL = (
    f"{OFFICIAL_COLUMN!r}: ML-Bench's official rules 1 and 2 (every value is in the answer, in the right language), on rows whose reference "
    "passes them. Such an answer can still be wrong, so this share is usually larger."
)


def _columns(shown: Sequence[Figures]) -> list[Column]:
    """What is told of each subject: what came of the rows, then what they cost."""
    came = (_delivered if shown[0].subject.delivers else _scored)(shown)
    cost: list[Column] = [
        (name, partial(Figures.amount, value=value, digits=digits)) for name, value, digits in AMOUNTS
    ]
    return [
        ("rows", lambda one: str(len(one.cells))),
        *came,
        *cost,
        ("USD", lambda one: one.usd(len(one.cells))),
        ("USD a right row", lambda one: one.usd(sum(cell.first for cell in one.cells))),
    ]


def _delivered(_: Sequence[Figures]) -> list[Column]:
    return [
        ("delivered", lambda one: one.mean(lambda cell: cell.first)),
        ("false claims", lambda one: one.mean(lambda cell: cell.claim is True and not cell.first)),
        ("right results called failed", lambda one: one.mean(lambda cell: cell.claim is False and cell.first)),
        ("no claim", lambda one: str(sum(cell.claim is None for cell in one.cells))),
    ]


def _scored(shown: Sequence[Figures]) -> list[Column]:
    def share(one: Figures, k: int) -> float | None:
        return official_pass([cell.passed for cell in one.cells], k)

    several = [k for k in KS[1:] if any(share(one, k) is not None for one in shown)]
    return [
        ("Pass@1", lambda one: one.mean(lambda cell: cell.first)),
        *((f"Pass@{k}", lambda one, k=k: number(share(one, k))) for k in several),
        (OFFICIAL_COLUMN, lambda one: number(rate([cell.gate for cell in one.cells if cell.gate is not None]))),
        ("without answer", lambda one: str(sum(not cell.answered for cell in one.cells))),
    ]


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
    verdicts: tuple[str, ...]
    """For each pair, a sentence."""
    left_out: tuple[str, ...]


def compare(subjects: Sequence[Subject], price: Price | None = None) -> Comparison:
    """Put subjects side by side; figures are over common rows only, so that nobody gains by what was not tried.

    Args:
        subjects: At least one; those of several modes stand beside each other under the subject's name and mode.
        price: By which all agents of form D are counted; without it each is counted by its model's own.
    """
    modes = tuple(dict.fromkeys(one.mode for one in subjects))
    if len(modes) > 1:
        subjects = [msgspec.structs.replace(one, name=f"{one.name} ({one.mode})") for one in subjects]
    keys = tuple(key for key in subjects[0].cells if all(key in one.cells for one in subjects))
    if not keys:
        raise BenchError("there is nothing to compare: no row has a result from every agent")
    delivers, table = subjects[0].delivers, load_prices()
    prices = [price or table.find(one.mode) if delivers else None for one in subjects]
    shown = [Figures(one, [one.cells[key] for key in keys], paid) for one, paid in zip(subjects, prices, strict=True)]
    columns = _columns(shown)
    lost = {one.name: len(one.cells) - len(keys) for one in subjects}
    dropped = [f"{name}: {many} rows that not all agents have" for name, many in lost.items() if many]
    judged = f"{'Models' if delivers else 'Scored by'}: {', '.join(filter(None, modes)) or 'none'}."
    about = (f"{judged} ML-Agent {version('ml-agent')}.", INTERVALS, _price_text(price) if delivers else OFFICIAL)
    return Comparison(
        title=f"{'Delivered results' if delivers else 'Right answers'}: {len(subjects)} agent{'s' * (len(subjects) != 1)} on {len(keys)} rows",
        about=about,
        head=("agent", *(name for name, _ in columns)),
        table=tuple((one.subject.name, *(value(one) for _, value in columns)) for one in shown),
        subjects=tuple(subjects),
        keys=keys,
        verdicts=tuple(
            _verdict(a, b) for a, b in combinations(shown, 2) if delivers or a.subject.mode == b.subject.mode
        ),
        left_out=(*(f"{one.name}: {said}" for one in subjects for said in one.left_out), *dropped),
    )


def _verdict(a: Figures, b: Figures) -> str:
    """Who succeeds on more rows, whether that may be chance, and on how many rows it stands without an answer."""
    pairs = [(x.first, y.first) for x, y in zip(a.cells, b.cells, strict=True)]
    silent = "".join(
        f" {many} of {len(pairs)} rows {'has' if many == 1 else 'have'} no answer from {one.subject.name} and count{'s' * (many == 1)} as failed."
        for one in (a, b)
        if (many := sum(not cell.answered for cell in one.cells))
    )
    sides = ((pairs.count((True, False)), a.subject.name), (pairs.count((False, True)), b.subject.name))
    (more, better), (fewer, worse) = sorted(sides, key=lambda side: -side[0])
    if more == fewer:
        return f"{better} and {worse} succeed on equally many rows ({more} rows only by one, {fewer} only by the other).{silent}"
    p = mcnemar(more, fewer)
    chance = "may be chance" if p >= SIGNIFICANT else "is unlikely to be chance"
    return (
        f"{better} succeeds on {more - fewer} more row{'s' * (more - fewer > 1)} than {worse} ({more} only by {better}, {fewer} only by {worse}): "
        f"this {chance} (McNemar's test, p {f'{p:.4f}' if p >= SMALLEST_P else f'< {SMALLEST_P}'}).{silent}"
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
        for one in KeptRows(file, Delivery).rows:
            who = (one.agent, one.model)
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
            delivers=True,
            cells=cells,
            left_out=tuple(said for (who, row), said in trouble.items() if who == (name, model) and row not in cells),
        )
        for (name, model), cells in found.items()
    ]


def _price_text(price: Price | None) -> str:
    """What USD of form D are counted by."""
    if price is None:
        return "USD at each model's own price."
    cached = price.input if price.cached is None else price.cached
    return f"USD: {price.input:g} a million prompt tokens, {cached:g} from the cache, {price.output:g} completion."


def number(value: float | None, digits: int | None = None) -> str:
    """A number for people; a share where there are no digits."""
    if value is None:
        return "-"
    return f"{100 * value:.1f} %" if digits is None else f"{value:.{digits}f}"


def print_comparison(comparison: Comparison) -> None:
    """The table, turned so that it fits a terminal: subjects are columns; then repositories, error classes and what is left out."""
    names = [one.name for one in comparison.subjects]
    turned = zip(comparison.head[1:], *(line[1:] for line in comparison.table), strict=True)
    shares = [(name, *(number(rate(passed)) for passed in several)) for name, several in _by_repository(comparison)]
    write_out("".join(f"{verdict}\n" for verdict in comparison.verdicts))
    write_table(("agent", *names), list(turned))
    write_table(("repository", *names), shares)
    for name, classes in _classes(comparison):
        for kind, count in sorted(classes.items()):
            write_out(f"{name}: {count} row{'s' * (count > 1)} failed with {kind} ({CLASSES[kind]})\n")
    write_out("".join(f"left out: {said}\n" for said in comparison.left_out))


def _cells(comparison: Comparison) -> list[list[Cell]]:
    """By subject, on the common rows."""
    return [[one.cells[key] for key in comparison.keys] for one in comparison.subjects]


def _by_repository(comparison: Comparison) -> list[tuple[str, list[list[bool]]]]:
    """By repository and subject, which rows pass."""
    cells = _cells(comparison)
    names = sorted({cell.repository for several in cells for cell in several})
    return [(name, [[one.first for one in several if one.repository == name] for several in cells]) for name in names]


def _classes(comparison: Comparison) -> list[tuple[str, Counter[str]]]:
    """By subject, how many rows failed with each class."""
    counts = [Counter(cell.error_class for cell in several if cell.error_class) for several in _cells(comparison)]
    return list(zip((one.name for one in comparison.subjects), counts, strict=True))


def write_report(comparison: Comparison, folder: Path) -> Path:
    """Write report.html into a folder; returns its path."""
    errors = _classes(comparison)
    facts = {
        "comparison": comparison,
        "classes": CLASSES if any(counts for _, counts in errors) else {},
        "errors": errors,
        "by_repository": _by_repository(comparison),
        **_chart(comparison),
    }
    folder.mkdir(parents=True, exist_ok=True)
    page = jinja2.Environment(
        loader=jinja2.PackageLoader("ml_agent.benchmarks", "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page.filters |= {"rate": rate, "number": number}
    write_atomically(folder / "report.html", page.get_template("report.html.j2").render(facts))
    return folder / "report.html"


def _chart(comparison: Comparison) -> dict[str, Any]:
    """Success against tokens: the subjects whose tokens are known, from top to bottom, each label below the one before it."""
    shown = zip((one.name for one in comparison.subjects), _cells(comparison), strict=True)
    known = [(name, cells) for name, cells in shown if any(cell.usage != Usage() for cell in cells)]
    tokens = {name: fmean(cell.usage.tokens for cell in cells) for name, cells in known}
    most = max(tokens.values(), default=0.0)
    points: list[Point] = []
    for share, name in sorted(((fmean(cell.first for cell in cells), name) for name, cells in known), reverse=True):
        y = 340 - 320 * share
        lowest = max((one.label_y for one in points), default=0.0)
        points.append(Point(name, 60 + 560 * tokens[name] / (most or 1.0), y, max(y - 4, lowest + LABEL_HEIGHT)))
    return {"points": points, "most_tokens": most}
