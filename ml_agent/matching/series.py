"""Values that belong together: series in slots for several stay whole, ranges and counts are no values of their own."""

from collections.abc import Iterator, Sequence, Set

import msgspec

from ml_agent.matching.fitting import spelling_in_slot, takes_kind
from ml_agent.matching.mentions import Mention, ParsedRequest
from ml_agent.matching.slots import Slot
from ml_agent.matching.spelled import FilledSlot
from ml_agent.matching.terms import alphanumeric


def _series(statement: ParsedRequest) -> Iterator[list[Mention]]:
    """The values of each series."""
    for series in (one for one in statement.mentions if one.parts and not one.whole):
        yield [one for one in statement.mentions if not one.parts and series.start <= one.start < series.end]


def with_series(statement: ParsedRequest, placed: Sequence[FilledSlot], slots: Sequence[Slot]) -> list[FilledSlot]:
    """A slot for several values that has one of a series has the whole series."""
    found = list(placed)
    starts = {start for one in placed for start in one.starts}
    for inside in _series(statement):
        for at, one in enumerate(found):
            slot = slots[one.slot]
            free = [part.start for part in inside if part.start not in starts and takes_kind(slot, part)]
            begun = slot.several and any(part.start in one.starts for part in inside)
            if begun and 0 < len(free) < len(inside):
                found[at] = _holding(statement, one, slots, {*one.starts, *free})
                starts |= {*free}
    return found


def reunite_series(statement: ParsedRequest, placed: Sequence[FilledSlot], slots: Sequence[Slot]) -> list[FilledSlot]:
    """A series is not torn apart: what other slots for several values have of it goes back to the one that has nothing else."""
    found = list(placed)
    for parts in _series(statement):
        inside = {one.start for one in parts}
        holders = [at for at, one in enumerate(found) if slots[one.slot].several and inside & set(one.starts)]
        own = [at for at in holders if inside >= set(found[at].starts)]
        if len(own) == 1 and len(holders) > 1:
            for at in holders:
                if at != own[0]:
                    found[at] = _holding(statement, found[at], slots, set(found[at].starts) - inside)
    return [one for one in found if one.values]


def without_counts(statement: ParsedRequest, placed: Sequence[FilledSlot], slots: Sequence[Slot]) -> list[FilledSlot]:
    """What says how many a series holds is none of it, however often: "two spirals, two hidden layers with 12 and 6 neurons"."""
    found = list(placed)
    counts = {str(len(one.parts)): one for one in statement.mentions if one.parts and one.kind == "number"}
    for at, one in enumerate(found):
        first = one.values[0]
        series = counts.get(first)
        if series is None:
            continue
        ahead = len(one.values) - len(series.parts)
        repeated = ahead > 0 and set(one.values[:ahead]) == {first} and one.values[ahead:] == series.parts
        if repeated and slots[one.slot].several and len(one.starts) == len(one.values):
            found[at] = _holding(statement, one, slots, set(one.starts[ahead:]))
    return found


_LED, _JOINED = frozenset({"from", "between"}), frozenset({"to", "and", "through", "until"})
_BOUNDS = (("min", "max"), ("begin", "end"), ("start", "end"), ("start", "stop"), ("low", "high"), ("lower", "upper"), ("small", "large"), ("initial", "final"), ("first", "last"), ("from", "to"))  # fmt: skip


def without_torn_ranges(
    statement: ParsedRequest, placed: Sequence[FilledSlot], slots: Sequence[Slot]
) -> list[FilledSlot]:
    """ "From 2 to 7" is one thing: its ends go into one slot, or into two that are the bounds of one quantity, else nowhere."""
    found = list(placed)
    for ends in _ranges(statement):
        holders = [at for start in ends for at, one in enumerate(found) if start in one.starts]
        if len(set(holders)) == 2 and not _are_bounds(*(slots[found[at].slot].option.dest for at in holders)):
            for at in holders:
                found[at] = _holding(statement, found[at], slots, set(found[at].starts) - set(ends))
    return [one for one in found if one.values]


def _ranges(statement: ParsedRequest) -> Iterator[tuple[int, int]]:
    """Where the two numbers of each range begin."""
    tokens = statement.tokens
    for led, low, joined, high in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        words = led.value.lower() in _LED and joined.value.lower() in _JOINED
        if words and low.kind == high.kind == "number":
            yield low.start, high.start


def _are_bounds(one: str, other: str) -> bool:
    """Whether two names are those of bounds: "t_min" and "t_max", "decay" and "decay_end"."""
    return any(
        alphanumeric(one).replace(low, high) == alphanumeric(other)
        or alphanumeric(one).replace(low, "") == alphanumeric(other).replace(high, "")
        for low, high in _BOUNDS
        if low in one or high in other
    )


def _holding(statement: ParsedRequest, placed: FilledSlot, slots: Sequence[Slot], starts: Set[int]) -> FilledSlot:
    """A slot with some of its values; a choice that is said in words stays as it was placed."""
    stated = {one.start: spelling_in_slot(one, slots[placed.slot]) for one in statement.mentions if not one.parts}
    if len(placed.starts) == len(placed.values):
        stated |= {start: (value,) for start, value in zip(placed.starts, placed.values, strict=True)}
    kept = sorted(start for start in starts if start in stated)
    values = tuple(word for start in kept for word in stated[start])
    return msgspec.structs.replace(placed, values=values, starts=tuple(kept))
