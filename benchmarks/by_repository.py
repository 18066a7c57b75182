"""Figures with the repository as the unit: what a subject does on a repository that nobody fitted it to."""

import random
from collections.abc import Callable, Sequence
from statistics import fmean

import msgspec

from benchmarks.metrics import Interval, bootstrap
from benchmarks.scored import Scored

ROUNDS, LEVEL = 2000, 0.95


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """One repository."""

    name: str
    n: int
    share: float
    """Of rows whose first answer passes."""


class ByRepository(msgspec.Struct, frozen=True, kw_only=True):
    """One subject over all repositories."""

    subject: str
    shares: tuple[Share, ...]
    """By name."""
    macro: float
    """Mean over repositories, each counted alike."""
    macro_interval: Interval | None
    """95 %, by drawing repositories."""
    micro_interval: Interval | None
    """Of the share of rows, 95 %, by drawing whole repositories."""
    worst: Share
    without_best: Share
    """The lowest share of rows that is left when one repository is left out, and which."""
    without_worst: Share
    """The highest."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Two subjects, paired by repository."""

    first: str
    second: str
    macro: float
    """First minus second, mean over repositories."""
    interval: Interval | None
    better: int
    """Repositories on which the first is better."""
    worse: int


def by_repository(scored: Scored) -> ByRepository | None:
    """The figures of a subject; None where it has no rows."""
    groups = _groups(scored)
    if not groups:
        return None
    shares = tuple(Share(name=name, n=len(rows), share=fmean(rows)) for name, rows in sorted(groups.items()))
    rest = [_without(groups, name) for name in groups]
    return ByRepository(
        subject=scored.subject,
        shares=shares,
        macro=fmean(s.share for s in shares),
        macro_interval=bootstrap([s.share for s in shares]),
        micro_interval=cluster_bootstrap(list(groups.values()), _micro),
        worst=min(shares, key=lambda s: (s.share, -s.n)),
        without_best=min(rest, key=lambda s: s.share),
        without_worst=max(rest, key=lambda s: s.share),
    )


def difference(first: Scored, second: Scored) -> Difference | None:
    """Two subjects on the repositories of their common rows."""
    one, other = _groups(first), _groups(second)
    gaps = [fmean(one[name]) - fmean(other[name]) for name in one.keys() & other.keys()]
    if not gaps:
        return None
    return Difference(
        first=first.subject, second=second.subject, macro=fmean(gaps), interval=_spread(gaps),
        better=sum(g > 0 for g in gaps), worse=sum(g < 0 for g in gaps),
    )  # fmt: skip


def cluster_bootstrap(
    groups: Sequence[Sequence[float]], figure: Callable[[Sequence[Sequence[float]]], float], seed: int = 0
) -> Interval | None:
    """Percentile interval of a figure, by drawing whole groups with replacement; None for fewer than two groups.

    Rows of one repository stand and fall together: drawing single rows would make the interval too narrow. Where all rows agree,
    drawing finds no spread: then the interval is exact, with each group counted once.
    """
    if len(groups) < 2:
        return None
    rows = {value for group in groups for value in group}
    if rows in ({0.0}, {1.0}):
        return bootstrap([fmean(g) for g in groups])
    draw = random.Random(seed)
    drawn = sorted(figure(draw.choices(groups, k=len(groups))) for _ in range(ROUNDS))
    cut = int((1 - LEVEL) / 2 * ROUNDS)
    return Interval(drawn[cut], drawn[ROUNDS - 1 - cut])


def _spread(gaps: Sequence[float]) -> Interval | None:
    return cluster_bootstrap([[gap] for gap in gaps], _micro) if len(set(gaps)) > 1 else None


def _groups(scored: Scored) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = {}
    for row in scored.rows:
        groups.setdefault(row.repository, []).append(float(row.first))
    return groups


def _micro(groups: Sequence[Sequence[float]]) -> float:
    return sum(map(sum, groups)) / sum(map(len, groups))


def _without(groups: dict[str, list[float]], name: str) -> Share:
    rest = [rows for other, rows in groups.items() if other != name]
    return Share(name=name, n=sum(map(len, rest)), share=_micro(rest) if rest else 0.0)
