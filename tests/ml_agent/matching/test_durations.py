"""Durations in the unit that a program counts in."""

import pytest

from ml_agent.matching.durations import in_the_units_of, seconds_behind
from ml_agent.matching.fitting import spelling_in_slot
from ml_agent.matching.mentions import read_request
from ml_agent.matching.slots import Slot
from tools.signatures.model import Option


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("4 seconds", 1.0),
        ("4s", 1.0),
        ("4 ms", 0.001),
        ("4-minute", 60.0),
        ("4 hours", 3600.0),
        ("4 steps", 0.0),
        ("4", 0.0),
        ("4 s/it", 0.0),
    ],
)
def test_a_unit_of_time_stands_behind_a_number(text: str, seconds: float) -> None:
    assert seconds_behind(text, 1) == seconds


@pytest.mark.parametrize(
    ("told", "value", "seconds", "whole", "expected"),
    [
        ("min_length The least number of milliseconds", "4", 1.0, True, "4000"),
        ("timeout Seconds to wait", "2", 60.0, True, "120"),
        ("timeout Seconds to wait", "250", 0.001, False, "0.25"),
        ("timeout Seconds to wait", "250", 0.001, True, "250"),  # no whole number of them
        ("timeout Seconds to wait", "7200", 1.0, True, "7200"),
        ("length Minutes, or seconds", "4", 1.0, True, "4"),  # it may be either
        ("length How long", "4", 1.0, True, "4"),
        ("length_ms How long", "4", 1.0, True, "4000"),
        ("timeout Seconds to wait", "4", 0.0, True, "4"),
        ("timeout Seconds to wait", "9" * 5000, 60.0, True, "9" * 5000),  # no duration
        ("timeout Seconds to wait", "1e5000", 60.0, False, "1e5000"),
    ],
)
def test_a_duration_is_counted_as_the_option_counts(
    told: str, value: str, seconds: float, whole: bool, expected: str
) -> None:
    assert in_the_units_of(told, value, seconds, whole) == expected


def test_a_value_says_its_unit() -> None:
    slot = Slot(Option(dest="pause", flags=("--pause",), type="int", default="5000", help="milliseconds between two"))
    (said,) = (one for one in read_request("wait for at least 4 seconds").mentions if one.kind == "number")
    assert spelling_in_slot(said, slot) == ("4000",)
