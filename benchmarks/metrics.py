"""The statistics of a comparison: Pass@k, 95 % intervals of shares and amounts, and the paired test of two subjects.

Rows of one repository are alike, so intervals go by groups of rows: whole repositories are drawn, or count as fewer rows.
"""

import random
from collections.abc import Iterable, Sequence
from itertools import chain
from math import comb, sqrt
from statistics import fmean
from typing import NamedTuple

KS = (1, 2, 5)
ROUNDS, LEVEL = 2000, 0.95
"""Of drawing, for an interval."""
NORMAL = 1.959964
"""The quantile of the normal distribution for LEVEL."""


class Interval(NamedTuple):
    """Bounds of a confidence interval."""

    low: float
    high: float


def official_pass(rows: Sequence[Sequence[bool]], k: int) -> float | None:
    """Share of rows of which one of the first k outputs passes.

    A row with fewer outputs counts with those it has, as long as any row has k: an agent that runs out of answers gains nothing
    by it. None where no row has k.
    """
    if all(len(row) < k for row in rows):
        return None
    return fmean(any(row[:k]) for row in rows)


def cluster_bootstrap(groups: Sequence[Sequence[float]]) -> Interval | None:
    """Percentile interval of the mean of an amount, 95 %, by drawing whole groups of rows with replacement; None below two groups."""
    if len(groups) < 2:
        return None
    draw = random.Random(0)
    means = sorted(mean_of(draw.choices(groups, k=len(groups))) for _ in range(ROUNDS))
    cut = int((1 - LEVEL) / 2 * ROUNDS)
    return Interval(means[cut], means[ROUNDS - 1 - cut])


def wilson(groups: Sequence[Sequence[float]]) -> Interval | None:
    """Interval of a share, 95 % (Wilson 1927), whatever the share is; None for fewer than two groups.

    Rows of one group are alike, so they count as fewer rows: as many as would spread as much if they were drawn one by one (Dean
    and Pagano 2015).
    """
    rows, share = sum(map(len, groups)), mean_of(groups)
    if len(groups) < 2:
        return None
    spread = sum((sum(group) - len(group) * share) ** 2 for group in groups) * len(groups) / (len(groups) - 1) / rows**2
    counted = min(float(rows), share * (1 - share) / spread) if spread else float(rows)
    shrink = 1 + NORMAL**2 / counted
    middle = (share + NORMAL**2 / (2 * counted)) / shrink
    half = NORMAL / shrink * sqrt(share * (1 - share) / counted + NORMAL**2 / (4 * counted**2))
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def mean_of(groups: Iterable[Sequence[float]]) -> float:
    """Mean over the rows of all groups."""
    return fmean(list(chain.from_iterable(groups)))


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p-value of McNemar's test, from the rows on which only one of two subjects succeeds."""
    n, k = only_first + only_second, min(only_first, only_second)
    return min(1.0, 2 * sum(comb(n, i) for i in range(k + 1)) / 2**n) if n else 1.0


def rate(values: Sequence[bool]) -> float | None:
    """Share of true values; None for none."""
    return fmean(values) if values else None
