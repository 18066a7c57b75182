"""Subjects side by side, on the rows that all of them have."""

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

import msgspec

from ml_agent.benchmarks.by_repository import ByRepository, Difference, by_repository, difference
from ml_agent.benchmarks.metrics import KS, Interval, bootstrap, mcnemar, official_pass
from ml_agent.benchmarks.predictions import Usage
from ml_agent.benchmarks.scored import Scored, common_rows

SMALLEST_P = 0.0001


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One subject in a comparison."""

    subject: str
    n: int
    passes: dict[int, float | None]
    """Pass@k by k."""
    interval: Interval | None
    """Of Pass@1, 95 %."""
    tokens: float | None
    """A row, prompt and output; None where the predictions do not say what they cost."""
    seconds: float | None
    usd: float | None
    usd_per_solved: float | None
    failed: int
    """Rows without any answer."""
    gates: float | None = None
    """Share of first answers that the published rules 1 and 2 pass; None where the scores do not say."""


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
    by_repository: tuple[ByRepository, ...]
    """One for each subject that has rows."""
    differences: tuple[Difference, ...]
    dropped: dict[str, int]
    """Rows of each subject that not all of them have."""


def compare(subjects: Sequence[Scored]) -> Comparison:
    """Put subjects side by side; figures are over common rows only, so that nobody gains by what was not tried.

    Scores of several modes stand beside each other under the subject's name and mode, but only those of one are tested against each other.
    """
    modes = tuple(dict.fromkeys(one.mode for one in subjects))
    subjects = with_modes(subjects)
    keys = common_rows(list(subjects))
    shared = [s.on(keys) for s in subjects]
    alike = [(a, b) for a, b in combinations(shared, 2) if a.mode == b.mode]
    return Comparison(
        n=len(keys),
        mode=", ".join(modes),
        lines=tuple(_line(s) for s in shared),
        pairs=tuple(_pair(a, b) for a, b in alike),
        by_repository=tuple(found for s in shared if (found := by_repository(s)) is not None),
        differences=tuple(d for a, b in alike if (d := difference(a, b)) is not None),
        dropped={s.subject: len(s.rows) - len(keys) for s in subjects if len(s.rows) != len(keys)},
    )


def with_modes(subjects: Sequence[Scored]) -> list[Scored]:
    """The same, each with its mode behind its name where there are several, and once only: one subject may be there in each."""
    if len({one.mode for one in subjects}) < 2 or all(one.subject.endswith(f"({one.mode})") for one in subjects):
        return list(subjects)
    return [msgspec.structs.replace(one, subject=f"{one.subject} ({one.mode})") for one in subjects]


def _line(scored: Scored) -> Line:
    rows = scored.rows
    passes = [r.passed for r in rows]
    measured = any(r.usage != Usage() for r in rows)
    usd = sum(r.usage.usd for r in rows)
    return Line(
        subject=scored.subject,
        n=len(rows),
        passes={k: official_pass(passes, k) for k in KS},
        interval=bootstrap([float(r.first) for r in rows]),
        tokens=fmean([r.usage.prompt_tokens + r.usage.completion_tokens for r in rows]) if measured else None,
        seconds=fmean([r.usage.seconds for r in rows]) if measured else None,
        usd=usd if measured else None,
        usd_per_solved=usd / scored.solved if measured and scored.solved else None,
        failed=sum(all(x.startswith("no-answer") for x in r.reason) and bool(r.reason) for r in rows),
        gates=fmean([any(r.gates[:1]) for r in rows]) if any(r.gates for r in rows) else None,
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
