"""Series and ranges stay together."""

import pytest

from ml_agent.matching.mentions import read_request
from ml_agent.matching.series import without_counts, without_torn_ranges
from ml_agent.matching.slots import Slot
from ml_agent.matching.spelled import FilledSlot
from ml_agent.tools.signatures.model import Option

TEXT = "try every size from 2 to 7 with 90 points"


def put(*dests: str) -> dict[str, tuple[str, ...]]:
    """What stays of 2 and 7 in one slot or two, and of 90 in another."""
    statement = read_request(TEXT)
    numbers = [one for one in statement.mentions if not one.parts]
    slots = [Slot(Option(dest=dest, flags=(f"--{dest}",), nargs="2" if len(dests) == 1 else None)) for dest in dests]
    slots.append(Slot(Option(dest="points", flags=("--points",))))
    at = dict(zip(("2", "7"), range(2), strict=True)) if len(dests) == 2 else {"2": 0, "7": 0}
    placed: list[FilledSlot] = []
    for place in range(len(slots)):
        held = [one for one in numbers if at.get(one.value, len(slots) - 1) == place]
        values = tuple(one.value for one in held)
        placed.append(FilledSlot(place, values, 1.0, "said", tuple(one.start for one in held), TEXT))
    return {slots[one.slot].option.dest: one.values for one in without_torn_ranges(statement, placed, slots)}


def test_the_ends_of_a_range_do_not_go_into_two_different_things() -> None:
    assert put("clusters", "restarts") == {"points": ("90",)}


@pytest.mark.parametrize(
    "dests",
    [("t_min", "t_max"), ("begin", "end"), ("decay", "decay_end"), ("small_size", "large_size"), ("fmin", "fmax")],
)
def test_they_go_into_the_bounds_of_one_quantity(dests: tuple[str, str]) -> None:
    assert put(*dests) == {dests[0]: ("2",), dests[1]: ("7",), "points": ("90",)}


def test_they_go_into_one_slot_for_several() -> None:
    assert put("k_range") == {"k_range": ("2", "7"), "points": ("90",)}


@pytest.mark.parametrize("ahead", [("2",), ("2", "2")])
def test_what_says_how_many_a_series_holds_is_none_of_it_however_often(ahead: tuple[str, ...]) -> None:
    text = "the two spirals: two hidden layers with 12 and 6 neurons"
    statement = read_request(text)
    units = Slot(Option(dest="units", flags=("--units",), type="int", nargs="+", default="8"))
    numbers = [one for one in statement.mentions if one.kind == "number" and not one.parts]
    taken = numbers[-2 - len(ahead) :]
    assert tuple(one.value for one in taken) == (*ahead, "12", "6")
    placed = FilledSlot(0, (*ahead, "12", "6"), 1.0, "said", tuple(one.start for one in taken), text)
    (found,) = without_counts(statement, [placed], [units])
    assert found.values == ("12", "6")
