"""Subjects side by side on the rows that all of them have: as tables on a terminal, as Markdown, and as one HTML page."""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple
from urllib.parse import quote

import jinja2
import msgspec
from rich.markdown import Markdown
from rich.table import Table

from ml_agent.benchmarks.metrics import KS, Interval, bootstrap, cluster_bootstrap, mcnemar, official_pass
from ml_agent.benchmarks.predictions import Usage
from ml_agent.benchmarks.scoring import CLASSES, GATES, NO_ANSWER, Row, Score, Scored, ScoredRow, figures
from ml_agent.console import Terminal
from ml_agent.files import write_atomically
from ml_agent.prompts.hidden import HIDDEN

SMALLEST_P = 0.0001
LABEL_HEIGHT = 15.0
_MARKUP = re.compile(r"[\\\[\]|]|<(?=[A-Za-z/!?])")
"""What Markdown makes links and tags of, or ends a cell with."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One subject in a comparison."""

    subject: str
    n: int
    passes: dict[int, float | None]
    """Pass@k by k."""
    interval: Interval | None
    """Of Pass@1 over rows, 95 %, by drawing whole repositories."""
    macro: float | None
    """Pass@1 as the mean over repositories, each counted alike."""
    shares: dict[str, tuple[float, int]]
    """Pass@1 and rows by repository."""
    tokens: float | None
    """A row, prompt and output; None where the predictions do not say what they cost."""
    seconds: float | None
    usd: float | None
    usd_per_solved: float | None
    failed: int
    """Rows without any answer."""
    gates: float | None = None
    """Share of first answers that the published rules 1 and 2 pass, of the rows whose own reference passes them; None without any."""


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two subjects, paired by row."""

    first: str
    second: str
    only_first: int
    only_second: int
    p: float
    """McNemar's exact test on Pass@1."""

    @property
    def p_text(self) -> str:
        """As it is printed: with four digits, and never as nothing."""
        return f"{self.p:.4f}" if self.p >= SMALLEST_P else f"< {SMALLEST_P}"


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """All subjects on their common rows."""

    n: int
    mode: str
    lines: tuple[Line, ...]
    pairs: tuple[Pair, ...]
    dropped: dict[str, int]
    """Rows of each subject that not all of them have."""


def compare(subjects: Sequence[Scored]) -> Comparison:
    """Put subjects side by side; figures are over common rows only, so that nobody gains by what was not tried.

    Scores of several modes stand beside each other under the subject's name and mode, but only those of one are tested against each other.
    """
    modes = tuple(dict.fromkeys(one.mode for one in subjects))
    subjects = with_modes(subjects)
    keys = common_rows(subjects)
    shared = [s.on(keys) for s in subjects]
    return Comparison(
        n=len(keys),
        mode=", ".join(modes),
        lines=tuple(map(_line, shared)),
        pairs=tuple(_pair(a, b) for a, b in combinations(shared, 2) if a.mode == b.mode),
        dropped={s.subject: len(s.rows) - len(keys) for s in subjects if len(s.rows) != len(keys)},
    )


def common_rows(subjects: Sequence[Scored]) -> set[str]:
    """The rows that all subjects have."""
    keys = [{row.key for row in s.rows} for s in subjects]
    return set.intersection(*keys) if keys else set()


def with_modes(subjects: Sequence[Scored]) -> list[Scored]:
    """The same, each with its mode behind its name where there are several: one subject may be there in each."""
    if len({one.mode for one in subjects}) < 2:
        return list(subjects)
    return [msgspec.structs.replace(one, subject=f"{one.subject} ({one.mode})") for one in subjects]


def _line(scored: Scored) -> Line:
    rows = scored.rows
    measured = any(r.usage != Usage() for r in rows)
    usd = sum(r.usage.usd for r in rows)
    gates = [r.gates[0] for r in rows if r.gates]
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(row.repository, []).append(float(row.first))
    return Line(
        subject=scored.subject,
        n=len(rows),
        passes={k: official_pass([r.passed for r in rows], k) for k in KS},
        interval=cluster_bootstrap(list(groups.values())),
        macro=fmean(map(fmean, groups.values())) if groups else None,
        shares={name: (fmean(passed), len(passed)) for name, passed in sorted(groups.items())},
        tokens=fmean([r.usage.prompt_tokens + r.usage.completion_tokens for r in rows]) if measured else None,
        seconds=fmean([r.usage.seconds for r in rows]) if measured else None,
        usd=usd if measured else None,
        usd_per_solved=usd / scored.solved if measured and scored.solved else None,
        failed=sum(all(x.startswith(NO_ANSWER) for x in r.reason) and bool(r.reason) for r in rows),
        gates=fmean(gates) if gates else None,
    )


def _pair(a: Scored, b: Scored) -> Pair:
    by_key = {row.key: row.first for row in b.rows}
    first = [row.first for row in a.rows]
    second = [by_key[row.key] for row in a.rows]
    return Pair(
        first=a.subject,
        second=b.subject,
        only_first=sum(x and not y for x, y in zip(first, second, strict=True)),
        only_second=sum(y and not x for x, y in zip(first, second, strict=True)),
        p=mcnemar(first, second),
    )


def percent(value: float | None) -> str:
    """A share for people."""
    return "-" if value is None else f"{100 * value:.1f} %"


def number(value: float | None, digits: int) -> str:
    """A number for people."""
    return "-" if value is None else f"{value:.{digits}f}"


def bounds(interval: Interval | None) -> str:
    """An interval for people."""
    return f"{percent(interval.low)} to {percent(interval.high)}" if interval else "-"


def score_tables(score: Score, console: Terminal) -> None:
    """Print the figures of one subject, then by repository and kind, then the error classes and what was left out."""
    name = "gates" if score.mode == GATES else "pass"
    console.print(f"{score.mode}: {len(score.rows)} rows")
    for title, rows in (("", score.rows), ("dropped by the official script (other than five outputs)", score.apart)):
        if rows:
            console.print(_figures(title, rows, name))
    scored = [row.scored for row in score.rows + score.apart]
    for field in ("repository", "kind"):
        table = Table(field, "n", *[f"{name}@{k}" for k in KS], box=None)
        for label in sorted({getattr(row, field) for row in scored}):
            passes = [row.passed for row in scored if getattr(row, field) == label]
            table.add_row(label, str(len(passes)), *[percent(official_pass(passes, k)) for k in KS])
        console.print(table)
    classes = Counter(c for row in scored for c in row.error_class if c)
    for label, count in sorted(classes.items()):
        console.print(f"{label} {count}: {CLASSES[label]}")
    for left in score.left_out:
        console.print(f"left out {left.key}: {left.reason}", soft_wrap=True)


def _figures(title: str, rows: Sequence[Row], name: str) -> Table:
    interval = bootstrap([float(row.scored.first) for row in rows])
    table = Table("figure", "value", title=title or None, box=None, title_justify="left")
    for key, value in figures(rows).items():
        shown = f"{percent(value)}  (95 %: {bounds(interval)})" if key == "pass@1" and interval else percent(value)
        table.add_row(key.replace("pass@", f"{name}@"), shown)
    return table


def print_comparison(subjects: Sequence[Scored], console: Terminal) -> None:
    """Print what `report.md` says of the subjects."""
    facts = _facts(subjects, Path(), ()) | {"published": []}
    console.print(Markdown(page_environment("report.md").get_template("report.md.j2").render(facts)))


def write_report(subjects: Sequence[Scored], folder: Path, notes: Sequence[str] = ()) -> list[Path]:
    """Write report.md and report.html; returns their paths.

    Args:
        subjects: their scores; those of several modes are told apart by their names.
        folder: where to write; made where it is not there.
        notes: lines to print above the tables, such as the command that was used.
    """
    folder.mkdir(parents=True, exist_ok=True)
    facts = _facts(subjects, folder, notes)
    written = []
    for name in ("report.md", "report.html"):
        write_atomically(folder / name, page_environment(name).get_template(f"{name}.j2").render(facts))
        written.append(folder / name)
    return written


def _facts(subjects: Sequence[Scored], folder: Path, notes: Sequence[str]) -> dict[str, Any]:
    """All that the templates say."""
    comparison = compare(subjects)
    subjects = with_modes(subjects)
    tokens = [line.tokens for line in comparison.lines if line.tokens is not None]
    return {
        "comparison": comparison,
        "notes": notes,
        "published": published(),
        "version": _version(),
        "classes": CLASSES,
        "ks": [k for k in KS if any(line.passes[k] is not None for line in comparison.lines)],
        "repositories": sorted({name for line in comparison.lines for name in line.shares}),
        "most_tokens": max(tokens, default=0.0),
        "points": _points(comparison.lines, max(tokens, default=0.0) or 1.0),
        "errors": {s.subject: Counter(c for r in s.rows for c in r.error_class[:1] if c) for s in subjects},
        "left_out": {s.subject: s.left_out for s in subjects if s.left_out},
        "rows": _rows(subjects, folder),
    }


class Point(NamedTuple):
    """One subject in the chart of success against tokens, in its own units; the label stands on `label_y`."""

    name: str
    x: float
    y: float
    label_y: float


def _points(lines: Sequence[Line], most_tokens: float) -> list[Point]:
    """The subjects whose tokens are known, from top to bottom, each label below the one before it."""
    found: list[Point] = []
    known = [(60 + 560 * line.tokens / most_tokens, line) for line in lines if line.tokens is not None]
    for x, line in sorted(known, key=lambda pair: -(pair[1].passes[1] or 0.0)):
        y = 340 - 320 * (line.passes[1] or 0.0)
        lowest = max((one.label_y for one in found), default=0.0)
        found.append(Point(line.subject, x, y, max(y - 4, lowest + LABEL_HEIGHT)))
    return found


def published() -> list[dict[str, Any]]:
    """The published tables, with their sources."""
    text = files("ml_agent.benchmarks").joinpath("published.toml").read_text()
    return list(tomllib.loads(text)["table"])


def _rows(subjects: Sequence[Scored], folder: Path) -> list[dict[str, Any]]:
    """Each shared row with its texts and every subject's first verdict."""
    keys = common_rows(subjects)
    by_key = [(one, {row.key: row for row in one.rows}) for one in subjects]
    shared = [row for row in (subjects[0].rows if subjects else ()) if row.key in keys]
    return [
        {"row": row, "verdicts": [_verdict(found[row.key], one, folder) for one, found in by_key]} for row in shared
    ]


def _verdict(row: ScoredRow, of: Scored, folder: Path) -> Mapping[str, Any]:
    """What the page shows of a row, with a link to what the run of its first attempt left beside the folder of scores."""
    places = (f"../records/{of.name}/{row.key}-0/run.json", f"../records/{row.key}-0/run.json")
    record = next((quote(place) for place in places if of.name and (folder / place).is_file()), "")
    why = "".join(row.error_class[:1]) or "fails"
    return {
        "word": "passes" if row.first else why,
        "reason": "".join(row.reason[:1]),
        "answer": row.answer,
        "record": record,
    }


def _version() -> str:
    try:
        return version("ml-agent")
    except PackageNotFoundError:
        return "not installed"


def _in_markdown(value: Any) -> Any:
    """A text of others (a repository's name, an error) as one line that is no markup and ends no cell of a table."""
    if not isinstance(value, str):
        return value
    return _MARKUP.sub(r"\\\g<0>", " ".join(HIDDEN.sub("", value).split()))


def page_environment(name: str) -> jinja2.Environment:
    """Fills the templates of pages; texts of others are no markup in either kind."""
    environment = jinja2.Environment(
        finalize=_in_markdown if name.endswith(".md") else None,
        loader=jinja2.PackageLoader("ml_agent.benchmarks", "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=name.endswith(".html"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "interval": bounds, "number": number}
    return environment
