"""Figures with the repository as the unit: what a subject does on a repository that nobody fitted it to."""

from statistics import fmean

import msgspec

from ml_agent.benchmarks.metrics import Interval, bootstrap, cluster_bootstrap, mean_of
from ml_agent.benchmarks.scored import Scored


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
        micro_interval=cluster_bootstrap(list(groups.values())),
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
        first=first.subject, second=second.subject, macro=fmean(gaps), interval=bootstrap(gaps) if len(set(gaps)) > 1 else None,
        better=sum(g > 0 for g in gaps), worse=sum(g < 0 for g in gaps),
    )  # fmt: skip


def _groups(scored: Scored) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = {}
    for row in scored.rows:
        groups.setdefault(row.repository, []).append(float(row.first))
    return groups


def _without(groups: dict[str, list[float]], name: str) -> Share:
    rest = [rows for other, rows in groups.items() if other != name]
    return Share(name=name, n=sum(map(len, rest)), share=mean_of(rest) if rest else 0.0)
