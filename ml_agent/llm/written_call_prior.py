"""A model's arguments as a second opinion on where a request's values belong: what was learned and what it writes are weighed together."""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ml_agent.llm.written_call import WrittenArgument
from ml_agent.matching.fill import FilledSlot, SlotAssignment, spelling_in_slot
from ml_agent.matching.mentions import Mention, ParsedRequest
from ml_agent.matching.sense import option_alignment
from ml_agent.matching.slots import Slot, TermWeights
from ml_agent.matching.switches import Scorer, switch_features
from ml_agent.matching.terms import alphanumeric
from ml_agent.tools.signatures.model import Option
from ml_agent.values.numbers import number

_HERE, _ELSEWHERE, _TAKEN, _SILENT = 3.0, -3.0, -2.0, 0.0
"""Log-odds of a value in a slot: the model gives it there, gives it elsewhere, gives something else there, gives it nowhere."""
_ON, _OFF = 4.0, -1.0
"""Log-odds of a switch that the model gives, and of one that it does not."""
_LEAST_SWITCH = -6.0
"""A switch that the model alone wants needs so much of what was learned."""
_ADDED = 1.0
_FALSE = frozenset({"false", "no", "0", "off"})
_SHORT = 2
_PIECE = re.compile(r"[A-Za-z]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


class WrittenCallPrior:
    """What a model gives, slot by slot.

    Args:
        statement: the request.
        slots: of the entry point.
        given: by slot, what the model writes.
    """

    def __init__(self, statement: ParsedRequest, slots: Sequence[Slot], given: Mapping[int, WrittenArgument]) -> None:
        self._statement, self._slots, self._given = statement, slots, given
        self._said = _StatedValues(statement)

    def value(self, mention: Mention, slot: int) -> float:
        """What speaks for a value in a slot."""
        if self._gives(mention, slot):
            return _HERE
        if any(self._gives(mention, other) for other in self._given):
            return _ELSEWHERE
        return _TAKEN if slot in self._given else _SILENT

    def switch(self, slot: int) -> float:
        """What speaks for a switch."""
        return _ON if slot in self._given else _OFF

    def with_given_values(self, assignment: SlotAssignment, switch: Scorer) -> SlotAssignment:
        """The same with what only the model states.

        Args:
            filled: what was placed.
            switch: log-odds of a switch by what was learned.
        """
        taken = {one.slot for one in assignment.placed}
        more = list(assignment.placed)
        for place, given in self._given.items():
            slot = self._slots[place]
            if place not in taken and not slot.internal:
                more += self._place_switch(place, given, switch) if slot.boolean else self._place_value(place, more)
        return msgspec.structs.replace(assignment, placed=tuple(more))

    def _gives(self, mention: Mention, slot: int) -> bool:
        values = self._given[slot].values if slot in self._given else ()
        words = (*spelling_in_slot(mention, self._slots[slot]), mention.value, *mention.parts) if values else ()
        return any(_same(word, value) for word in words for value in values)

    def _place_switch(self, place: int, given: WrittenArgument, switch: Scorer) -> Iterator[FilledSlot]:
        slot = self._slots[place]
        wanted = given.positive and (not given.values or given.values[0].lower() not in _FALSE)
        evidence = switch_features(self._statement, slot, TermWeights(self._slots), frozenset())
        if evidence is None or (slot.option.switch and not wanted):
            return
        sense = option_alignment(self._statement, self._slots)
        likely = switch([*evidence.vector, *(sense.best_token(place, ())[:2] if sense else ())])
        if likely >= _LEAST_SWITCH:
            yield FilledSlot(place, (str(wanted),), _ADDED, "said in words", (), "")

    def _place_value(self, place: int, placed: Sequence[FilledSlot]) -> Iterator[FilledSlot]:
        """A value that is not the default and that nothing else was given."""
        slot, values = self._slots[place], self._given[place].values
        if not slot.several:
            values = values[:1]
        if not values or _repeats(values, slot.option):
            return
        known = [next((one for one in slot.vocabulary if _same(one, value)), None) for value in values]
        if slot.closed and None in known:
            return
        if not slot.closed and not all(_is_borne_out(value, slot, self._said) for value in values):
            return
        used = [value for one in placed for value in one.values]
        if not slot.closed and any(_same(value, other) for value in values for other in used):
            return
        yield FilledSlot(
            place, tuple(one or value for one, value in zip(known, values, strict=True)), _ADDED, "said", (), ""
        )


def _is_borne_out(value: str, slot: Slot, said: "_StatedValues") -> bool:
    """Whether the request says a value, or it may follow from what it says: a number, a known value."""
    return number(value) is not None or any(_same(one, value) for one in slot.vocabulary) or said.covers(value)


def _repeats(values: Sequence[str], option: Option) -> bool:
    return any(_same(value, option.default or "") for value in values)


def _same(one: str, other: str) -> bool:
    amount = number(one)
    if amount is not None and amount == number(other):
        return True
    return bool(alphanumeric(one)) and alphanumeric(one) == alphanumeric(other)


class _StatedValues:
    """The values that a request states: a small model likes to write defaults and guesses."""

    def __init__(self, statement: ParsedRequest) -> None:
        mentions = statement.mentions
        self._text = statement.text.lower()
        self._values = {alphanumeric(mention.value) for mention in mentions}
        words = [piece for text in (self._text, *(one.value for one in mentions)) for piece in _PIECE.findall(text)]
        amounts = [number(text) for text in (*words, *(one.value for one in mentions))]
        shares = [amount / 100 for one in mentions if one.percent and (amount := number(one.value)) is not None]
        self._amounts = {*shares, *(amount for amount in amounts if amount is not None)}

    def covers(self, value: str) -> bool:
        """Whether a value stands in the request: a number in any spelling, a word or a path as a whole."""
        amount = number(value)
        if amount is not None:
            return amount in self._amounts
        bare = alphanumeric(value)
        if bare in self._values or len(bare) <= _SHORT:
            return bool(bare) and bare in self._values
        return re.search(rf"(?<![\w./-]){re.escape(value.lower())}(?![\w/-])", self._text) is not None
