"""Pass@k, intervals, the paired test."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.benchmarks.metrics import bootstrap, mcnemar, official_pass, unbiased_pass

ROWS = st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=12)


@given(ROWS, st.sampled_from([1, 2, 5]))
def test_official_pass_counts_the_first_k(rows: list[list[bool]], k: int) -> None:
    assert official_pass(rows, k) == pytest.approx(sum(any(r[:k]) for r in rows) / len(rows))


@given(ROWS)
def test_both_agree_on_all_five(rows: list[list[bool]]) -> None:
    assert unbiased_pass(rows, 5) == pytest.approx(official_pass(rows, 5) or 0.0)


def test_the_unbiased_estimator() -> None:
    assert unbiased_pass([[True, False, False, False, False]], 2) == pytest.approx(1 - comb(4, 2) / comb(5, 2))


def test_rows_with_fewer_outputs_count_with_what_they_have() -> None:
    rows = [[False, True, False, False, False], [False]]
    assert official_pass(rows, 5) == unbiased_pass(rows, 5) == 0.5
    assert official_pass([[True]], 2) is None
    assert official_pass([], 1) is None


def test_bootstrap() -> None:
    interval = bootstrap([1.0] * 30 + [0.0] * 70)
    assert interval is not None
    assert interval.low < 0.3 < interval.high
    assert interval.high - interval.low < 0.2
    assert bootstrap([1.0]) is None
    assert bootstrap([0.5, 0.5]) == (0.5, 0.5)


def test_no_spread_in_the_rows_is_no_certainty() -> None:
    """Clopper and Pearson's upper limit for none of 30 at 95 % is 0.1157."""
    none, every = bootstrap([0.0] * 30), bootstrap([1.0] * 30)
    assert none is not None and every is not None
    assert none[0] == 0.0 and none[1] == pytest.approx(0.1157, abs=1e-4)
    assert tuple(every) == pytest.approx((1 - none[1], 1.0))


def test_mcnemar() -> None:
    same = [True, False, True]
    assert mcnemar(same, same) == 1.0
    assert mcnemar([True] * 10, [False] * 10) == pytest.approx(2 / 2**10)
    assert mcnemar([True, False], [False, True]) == 1.0
