"""A model's command as a second opinion on where the values of a request belong: what was learned and what it wrote are weighed together."""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ml_agent.llm.written_call import Stated
from ml_agent.matching.fill import Filled, Placed, typed
from ml_agent.matching.mentions import Mention, Statement
from ml_agent.matching.slots import Slot, Weights
from ml_agent.matching.switches import Scorer, switch_features
from ml_agent.matching.terms import plain
from ml_agent.values.numbers import number
from tools.signatures.model import Option

_THERE, _ELSEWHERE, _ANOTHER, _NOWHERE = 4.0, -2.0, -2.0, -1.0
"""Log-odds of a value in a slot: the model puts it there, elsewhere, something else there, or leaves it out."""
_ON, _OFF = 3.0, -1.0
"""Log-odds of a switch that the model gives, and of one that it does not."""
_LEAST_SWITCH = -3.0
"""A switch that the model alone wants needs so much of what was learned."""
_ADDED = 1.0
_FALSE = frozenset({"false", "no", "0"})
_SHORT = 2
_PIECE = re.compile(r"[A-Za-z]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


class Told:
    """What a model wrote, slot by slot.

    Args:
        statement: the request.
        slots: of the entry point.
        given: by slot what the model gives it.
    """

    def __init__(self, statement: Statement, slots: Sequence[Slot], given: Mapping[int, Stated]) -> None:
        self._statement, self._slots, self._given = statement, slots, given
        self._said = _Said(statement)

    def value(self, mention: Mention, slot: int) -> float:
        """What speaks for a value in a slot."""
        if self._gives(mention, slot):
            return _THERE
        if any(self._gives(mention, other) for other in self._given if other != slot):
            return _ELSEWHERE
        if slot in self._given and any(map(self._said.covers, self._given[slot].values)):
            return _ANOTHER
        return _NOWHERE

    def switch(self, slot: int) -> float:
        """What speaks for a switch."""
        return _ON if slot in self._given else _OFF

    def added(self, filled: Filled, switch: Scorer) -> Filled:
        """The same with what only the model states, as far as the request bears it out.

        Args:
            filled: what was placed.
            switch: log-odds of a switch by what was learned.
        """
        taken = {one.slot for one in filled.placed}
        more = list(filled.placed)
        for place, given in self._given.items():
            slot = self._slots[place]
            if place not in taken and not slot.internal:
                more += (
                    self._place_switch(place, given, switch) if slot.boolean else self._place_value(place, given, more)
                )
        return msgspec.structs.replace(filled, placed=tuple(more))

    def _gives(self, mention: Mention, slot: int) -> bool:
        given = self._given.get(slot)
        if given is None or not given.values:
            return False
        words = (*typed(mention, self._slots[slot]), mention.value, *mention.parts)
        return any(_same(word, value) for word in words for value in given.values)

    def _place_switch(self, place: int, given: Stated, switch: Scorer) -> Iterator[Placed]:
        slot = self._slots[place]
        wanted = given.positive and (not given.values or given.values[0].lower() not in _FALSE)
        evidence = switch_features(self._statement, slot, Weights(self._slots), frozenset())
        if evidence is None or switch(evidence.vector) < _LEAST_SWITCH or (slot.option.switch and not wanted):
            return
        yield Placed(place, (str(wanted),), _ADDED, "said in words", (), "")

    def _place_value(self, place: int, given: Stated, placed: Sequence[Placed]) -> Iterator[Placed]:
        """A value that the request says, which is not the default and which nothing else was given."""
        slot = self._slots[place]
        if not given.values or not all(map(self._said.covers, given.values)) or _repeats(given, slot.option):
            return
        known = [next((one for one in slot.vocabulary if _same(one, value)), None) for value in given.values]
        if slot.closed and None in known:
            return
        used = [value for one in placed for value in one.values]
        if not slot.closed and any(_same(value, other) for value in given.values for other in used):
            return
        values = tuple(one or value for one, value in zip(known, given.values, strict=True))
        yield Placed(place, values, _ADDED, "said", (), "")


def _repeats(given: Stated, option: Option) -> bool:
    return any(_same(value, option.default or "") for value in given.values)


def _same(one: str, other: str) -> bool:
    amount = number(one)
    if amount is not None and amount == number(other):
        return True
    return bool(plain(one)) and plain(one) == plain(other)


class _Said:
    """The values that a request states: a small model likes to write defaults and guesses."""

    def __init__(self, statement: Statement) -> None:
        mentions = statement.mentions
        self._text = statement.text.lower()
        self._values = {plain(mention.value) for mention in mentions}
        words = [piece for text in (self._text, *(one.value for one in mentions)) for piece in _PIECE.findall(text)]
        amounts = [number(text) for text in (*words, *(one.value for one in mentions))]
        shares = [amount / 100 for one in mentions if one.percent and (amount := number(one.value)) is not None]
        self._amounts = {*shares, *(amount for amount in amounts if amount is not None)}

    def covers(self, value: str) -> bool:
        """Whether a value stands in the request: a number in any spelling, a word or a path as a whole."""
        amount = number(value)
        if amount is not None:
            return amount in self._amounts
        bare = plain(value)
        if bare in self._values or len(bare) <= _SHORT:
            return bool(bare) and bare in self._values
        return re.search(rf"(?<![\w./-]){re.escape(value.lower())}(?![\w/-])", self._text) is not None
