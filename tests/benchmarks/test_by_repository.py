"""The repository as the unit: macro, worst, intervals that draw whole repositories."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.by_repository import by_repository, difference
from ml_agent.benchmarks.metrics import bootstrap, cluster_bootstrap
from ml_agent.benchmarks.report import write_report
from ml_agent.benchmarks.scored import Scored, ScoredRow


def scored(subject: str, **verdicts: str) -> Scored:
    rows = [
        ScoredRow(github_id=number, id=n, passed=(mark == "+",), repository=name)
        for number, (name, marks) in enumerate(verdicts.items())
        for n, mark in enumerate(marks)
    ]
    return Scored(subject=subject, mode="same-call", rows=tuple(rows))


def test_each_repository_counts_alike() -> None:
    found = by_repository(scored("a", big="++++++++--", small="-+", none="--"))
    assert found is not None
    assert [(s.name, s.n, s.share) for s in found.shares] == [("big", 10, 0.8), ("none", 2, 0.0), ("small", 2, 0.5)]
    assert found.macro == pytest.approx(1.3 / 3)
    assert (found.worst.name, found.worst.share) == ("none", 0.0)
    assert (found.without_best.name, found.without_best.share) == ("big", 0.25)
    assert (found.without_worst.name, found.without_worst.share) == ("none", 0.75)
    assert found.macro_interval and found.macro_interval.low < found.macro < found.macro_interval.high
    assert by_repository(scored("a")) is None


def test_rows_that_stand_and_fall_together_widen_the_interval() -> None:
    groups = [[1.0] * 10, [0.0] * 10, [1.0] * 10, [0.0] * 10, [1.0] * 10, [0.0] * 10]
    whole = cluster_bootstrap(groups)
    single = bootstrap([v for g in groups for v in g])
    assert whole and single
    assert whole.high - whole.low > 2 * (single.high - single.low)
    assert cluster_bootstrap(groups[:1]) is None


def test_intervals_where_all_rows_agree_count_repositories() -> None:
    found = by_repository(scored("a", x="++++", y="++++", z="++++"))
    assert found and found.micro_interval == bootstrap([1.0] * 3)


def test_differences_are_paired_by_repository() -> None:
    gap = difference(scored("a", x="++", y="+-", z="--"), scored("b", x="--", y="+-", z="+-"))
    assert gap and (gap.better, gap.worse) == (1, 1) and gap.macro == pytest.approx(0.5 / 3)
    assert gap.interval and gap.interval.low < 0 < gap.interval.high


def test_the_report_shows_it(tmp_path: Path) -> None:
    subjects = [scored("a", x="++", y="--"), scored("b", x="+-", y="+-")]
    markdown, html = (p.read_text() for p in write_report(subjects, tmp_path))
    assert "| a | 50.0 % |" in markdown and "y 0.0 %" in markdown
    assert "| a | b | 0.0 % |" in markdown and "The repository as the unit" in html
