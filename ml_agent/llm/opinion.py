"""A model's reading of a request as a second opinion on where its values belong: what was learned and what it lists are weighed together."""

import re
from collections.abc import Collection, Iterator, Sequence

import msgspec

from ml_agent.llm.phrases import Phrase
from ml_agent.matching.fill import Filled, Placed, typed
from ml_agent.matching.mentions import Mention, Statement
from ml_agent.matching.sense import sense_of
from ml_agent.matching.slots import Slot, Weights
from ml_agent.matching.switches import Scorer, switch_features
from ml_agent.matching.terms import plain
from ml_agent.values.numbers import number
from tools.signatures.model import Option

_HERE, _ELSEWHERE, _NOTHING = 3.0, -2.0, -1.0
"""Log-odds of a value in a slot: the words around it mean the slot, another one, none."""
_SAID, _SAID_ELSEWHERE, _TAKEN = 2.0, -1.0, -1.0
"""Log-odds of a value in a slot: the model gives it there, gives it elsewhere, gives something else there."""
_ON, _OFF = 3.0, -0.5
"""Log-odds of a switch that the model lists, and of one that it does not."""
_LEAST_SWITCH = -3.0
"""A switch that the model alone wants needs so much of what was learned."""
_ADDED = 1.0
_FALSE = frozenset({"false", "no", "0", "off"})
_SHORT = 2
_PIECE = re.compile(r"[A-Za-z]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


class Told:
    """What a model lists, slot by slot.

    Args:
        statement: the request.
        slots: of the entry point.
        phrases: what the model says of its words.
    """

    def __init__(self, statement: Statement, slots: Sequence[Slot], phrases: Sequence[Phrase]) -> None:
        self._statement, self._slots, self._phrases = statement, slots, phrases
        self._said = _Said(statement)
        self._given: dict[int, list[Phrase]] = {}
        for one in phrases:
            if one.slot is not None:
                self._given.setdefault(one.slot, []).append(one)

    def value(self, mention: Mention, slot: int) -> float:
        """What speaks for a value in a slot: what the words around it mean, and where the model gives it."""
        around = {one.slot for one in self._phrases if one.holds(mention.start, mention.end)}
        if self._gives(mention, slot):
            return _by_words(around, slot) + _SAID
        if any(map(self._said.covers, self._values(slot))):
            around.discard(
                slot
            )  # The model names another value of the request, so that these words say nothing for this one.
        score = _by_words(around, slot)
        if any(self._gives(mention, other) for other in self._given):
            score += _SAID_ELSEWHERE
        return score + _TAKEN if slot in self._given and slot not in around else score

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
                more += self._place_switch(place, given[0], switch) if slot.boolean else self._place_value(place, more)
        return msgspec.structs.replace(filled, placed=tuple(more))

    def _values(self, slot: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value for one in self._given.get(slot, ()) for value in one.values))

    def _gives(self, mention: Mention, slot: int) -> bool:
        values = self._values(slot)
        words = (*typed(mention, self._slots[slot]), mention.value, *mention.parts) if values else ()
        return any(_same(word, value) for word in words for value in values)

    def _place_switch(self, place: int, given: Phrase, switch: Scorer) -> Iterator[Placed]:
        slot = self._slots[place]
        wanted = given.positive and (not given.values or given.values[0].lower() not in _FALSE)
        evidence = switch_features(self._statement, slot, Weights(self._slots), frozenset())
        if evidence is None:
            return
        sense = sense_of(self._statement, self._slots)
        if switch([*evidence.vector, *(sense.best(place, ())[:2] if sense else ())]) < _LEAST_SWITCH or (
            slot.option.switch and not wanted
        ):
            return
        yield Placed(place, (str(wanted),), _ADDED, "said in words", (), "")

    def _place_value(self, place: int, placed: Sequence[Placed]) -> Iterator[Placed]:
        """A value that the request says, which is not the default and which nothing else was given."""
        slot, values = self._slots[place], self._values(place)
        if not slot.several:
            values = values[:1]
        # A choice is no invention, where words of the request are said to mean it: "the smallest network" is one of three sizes.
        chosen = slot.closed and any(one.start >= 0 for one in self._given[place])
        if not values or _repeats(values, slot.option) or not (chosen or all(map(self._said.covers, values))):
            return
        known = [next((one for one in slot.vocabulary if _same(one, value)), None) for value in values]
        if slot.closed and None in known:
            return
        used = [value for one in placed for value in one.values]
        if not slot.closed and any(_same(value, other) for value in values for other in used):
            return
        yield Placed(
            place, tuple(one or value for one, value in zip(known, values, strict=True)), _ADDED, "said", (), ""
        )


def _by_words(around: Collection[int | None], slot: int) -> float:
    """What the slots that the words around a value mean say for one slot."""
    if not around:
        return 0.0
    if slot in around:
        return _HERE
    return _NOTHING if set(around) == {None} else _ELSEWHERE


def _repeats(values: Sequence[str], option: Option) -> bool:
    return any(_same(value, option.default or "") for value in values)


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
