"""Results are kept of short texts alone."""

import pytest

from ml_agent.tools.remember import remembered


@pytest.fixture
def calls() -> list[tuple[str, ...]]:
    return []


def test_a_short_text_is_worked_out_once(calls: list[tuple[str, ...]]) -> None:
    @remembered(8)
    def length(text: str) -> int:
        calls.append((text,))
        return len(text)

    assert [length("abc"), length("abc")] == [3, 3]
    assert calls == [("abc",)]


def test_a_long_text_is_not_kept(calls: list[tuple[str, ...]]) -> None:
    @remembered(8, longest=3)
    def joined(left: str, right: str) -> str:
        calls.append((left, right))
        return left + right

    assert [joined("a", "long"), joined("a", "long")] == ["along", "along"]
    assert len(calls) == 2
