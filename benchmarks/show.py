"""Scores as tables on a terminal."""

from collections import Counter
from collections.abc import Callable, Sequence

from rich.table import Table

from ml_agent.benchmarks.compare import Comparison
from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.error_classes import NAMES, SAME_CALL
from ml_agent.benchmarks.metrics import KS, Interval, bootstrap, official_pass
from ml_agent.benchmarks.scoring import GATES, Row, Score, figures
from ml_agent.console import Terminal


def score_tables(score: Score, tasks: Sequence[Task], console: Terminal) -> None:
    """Print the figures, then by repository and kind, then the error classes and what was left out."""
    name = "gates" if score.mode == GATES else "pass"
    console.print(f"{score.mode}: {len(score.rows)} rows")
    for title, rows in (("", score.rows), ("dropped by the official script (other than five outputs)", score.apart)):
        if rows:
            console.print(_figures(title, rows, name))
    rows = score.rows + score.apart
    by_key = {str(t.key): t for t in tasks}
    console.print(_groups("repository", rows, lambda r: by_key[r.key].repository, name))
    console.print(_groups("kind", rows, lambda r: by_key[r.key].kind, name))
    classes = Counter(c for r in rows for c in r.error_class if c)
    if classes:
        table = Table("class", "outputs", "meaning", box=None)
        for label, count in sorted(classes.items()):
            table.add_row(label, str(count), (NAMES | SAME_CALL)[label])
        console.print(table)
    for left in score.left_out:
        console.print(f"left out {left.key}: {left.reason}", soft_wrap=True)


def percent(value: float | None) -> str:
    """A share for people."""
    return "-" if value is None else f"{100 * value:.1f} %"


def number(value: float | None, digits: int) -> str:
    """A number for people."""
    return "-" if value is None else f"{value:.{digits}f}"


def _figures(title: str, rows: Sequence[Row], name: str) -> Table:
    data = figures(rows)
    interval = bootstrap([float(any(r.passed[:1])) for r in rows])
    table = Table("figure", "value", title=title or None, box=None, title_justify="left")
    for key, value in data.items():
        shown = percent(value)
        if key == "pass@1" and interval:
            shown += f"  (95 %: {percent(interval.low)} to {percent(interval.high)})"
        table.add_row(key.replace("pass@", f"{name}@"), shown)
    return table


def _groups(title: str, rows: Sequence[Row], of: Callable[[Row], str], name: str) -> Table:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(of(row), []).append(row)
    table = Table(title, "n", *[f"{name}@{k}" for k in KS], box=None)
    for label, members in sorted(groups.items()):
        table.add_row(label, str(len(members)), *[percent(official_pass([r.passed for r in members], k)) for k in KS])
    return table


def comparison_tables(comparison: Comparison, console: Terminal) -> None:
    """Print subjects side by side, then the pairs."""
    console.print(f"{comparison.mode}: {comparison.n} common rows")
    names = [f"pass@{k}" for k in KS]
    table = Table(
        "subject",
        "n",
        *names,
        "95 % of pass@1",
        "rules 1-2",
        "tokens/row",
        "s/row",
        "USD",
        "USD/solved",
        "no answer",
        box=None,
    )
    for line in comparison.lines:
        bounds = bounds_of(line.interval)
        shares = [percent(line.passes[k]) for k in KS]
        spent = [number(line.tokens, 0), number(line.seconds, 1), number(line.usd, 4), number(line.usd_per_solved, 4)]
        table.add_row(line.subject, str(line.n), *shares, bounds, percent(line.gates), *spent, str(line.failed))
    console.print(table)
    console.print(_repositories(comparison))
    console.print(_shares(comparison))
    pairs = Table("first", "second", "only first", "only second", "p (McNemar)", box=None)
    for pair in comparison.pairs:
        pairs.add_row(pair.first, pair.second, str(pair.only_first), str(pair.only_second), pair.p_text)
    if comparison.pairs:
        console.print(pairs)
    gaps = Table("first", "second", "macro difference", "95 %", "better on", "worse on", box=None)
    for gap in comparison.differences:
        shown = f"{gap.macro:+.3f}"
        gaps.add_row(gap.first, gap.second, shown, bounds_of(gap.interval), str(gap.better), str(gap.worse))
    if comparison.differences:
        console.print(gaps)
    for subject, rows in comparison.dropped.items():
        console.print(f"{subject}: {rows} more rows, which not all subjects have, are not counted")


def _repositories(comparison: Comparison) -> Table:
    """The repository as the unit: mean over repositories, worst one, and what leaving one out does."""
    table = Table(
        "subject", "macro", "95 % by repository", "rows, 95 % by repository", "worst", "leaving one out", box=None
    )
    for line in comparison.by_repository:
        worst = f"{line.worst.name} {percent(line.worst.share)}"
        apart = f"{percent(line.without_best.share)} ({line.without_best.name}) to {percent(line.without_worst.share)} ({line.without_worst.name})"
        table.add_row(
            line.subject,
            percent(line.macro),
            bounds_of(line.macro_interval),
            bounds_of(line.micro_interval),
            worst,
            apart,
        )
    return table


def _shares(comparison: Comparison) -> Table:
    """What each subject does on each repository."""
    table = Table("repository", "n", *(line.subject for line in comparison.by_repository), box=None)
    shares = [{share.name: share for share in line.shares} for line in comparison.by_repository]
    for name, first in shares[0].items() if shares else ():
        found = [one.get(name) for one in shares]
        table.add_row(name, str(first.n), *(percent(one.share if one else None) for one in found))
    return table


def bounds_of(interval: Interval | None) -> str:
    """An interval for people."""
    return f"{percent(interval.low)} to {percent(interval.high)}" if interval else "-"
