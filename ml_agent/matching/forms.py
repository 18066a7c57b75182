"""What the form of a value says of its slot, beside the words around it: log-odds that are added to what was learned."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ml_agent.matching.evidence import evidence, nearness
from ml_agent.matching.features import is_written_alike
from ml_agent.matching.mentions import Mention, ParsedRequest, Word
from ml_agent.matching.scores import ValueSlotPair
from ml_agent.matching.slots import Slot, TermWeights
from ml_agent.matching.terms import terms
from ml_agent.values.lexer import is_file_name
from ml_agent.values.lexicon import words

_ALIKE = 2.0
"""For a name that is written as the slot's known values are."""
_CODE = 2.5
"""For a code such as "v2" that only one of the slot's known values holds."""
_CHOICE = 3.5
"""For a name that is one of the slot's listed choices, to the letter."""
_ORDINARY = -5.0
"""For a choice that is an ordinary word of other options' names, where the slot itself is not named."""
_OWED = 1.5
"""For a slot that must be given, and of which nothing else is known."""
_USUAL = 4.0
"""For a file that is the slot's default, or several words that are one of its values, to the letter: who says them means that slot."""
_CALLED = 2.0
"""For a slot whose name of several words stands right before a value."""
_SEVERAL = 2
_FULL = 6.0
"""For as many numbers as the default has: "640x480" where two are usual."""
_NAMED = 0.3
"""So much of a slot's name must be said that an ordinary word may be its choice."""
_TELLING = 0.2
"""So much more must be said of one known value than of all others."""
_LINKS = frozenset(
    ["to", "of", "is", "be", "should", "must", "as", "=", ":", "the", "a", "an", "at", "equals", "being"]
)
_INSIDE = frozenset({"of", "the", "-"})
"""What stands inside a name: "number of iterations"."""
_FARTHEST = 24
"""Tokens before a value: no name is longer."""


class Forms:
    """The forms of a request's values, against the slots of one entry point.

    Args:
        statement: the request.
        slots: of the entry point.
        weights: of the terms in their names.
    """

    def __init__(self, statement: ParsedRequest, slots: Sequence[Slot], weights: TermWeights) -> None:
        self._statement = statement
        self._slots = slots
        self._weights = weights
        self._called: dict[int, frozenset[int]] = {}

    def score(self, pair: ValueSlotPair) -> float:
        """What the form of a value says for its going into a slot."""
        guessed = pair.mention.kind == "word" and pair.match is None
        return self._by_form(pair) + _CALLED * (not guessed and pair.slot in self._slots_called(pair.mention.first))

    def _slots_called(self, place: int) -> frozenset[int]:
        """The slots whose name of several words stands right before a token; the longest is meant: "the random seed to 7"."""
        if place not in self._called:
            before = _words_before(self._statement, place)
            length = [max((len(name) for name in s.names if _ends_with(before, name)), default=0) for s in self._slots]
            longest = max(_SEVERAL, *length)
            self._called[place] = frozenset(at for at, count in enumerate(length) if count == longest)
        return self._called[place]

    def _by_form(self, pair: ValueSlotPair) -> float:
        slot = self._slots[pair.slot]
        owed = _OWED * (_is_owed(slot) and pair.mention.kind in {"path", "name", "text"})
        if pair.mention.value == slot.option.default and is_file_name(pair.mention.value):
            return owed + _USUAL
        if pair.match is None:
            named = pair.mention.kind == "name" and not pair.mention.parts
            alike = named and is_written_alike(pair.mention.value, slot)
            return owed + _ALIKE * alike + _FULL * _has_all(pair.mention, slot)
        if pair.mention.first != pair.mention.last:
            return owed + _CODE * (pair.match.margin >= _TELLING and self._is_code(pair.mention))
        if self._is_ordinary(pair):
            return owed + _ORDINARY
        if pair.match.exact and " " in pair.match.value:
            return owed + _USUAL
        if pair.match.exact:
            return owed + _CHOICE * (slot.closed and self._is_proper(pair.mention))
        return owed + _CODE * (pair.match.margin >= _TELLING and self._is_code(pair.mention))

    def _is_ordinary(self, pair: ValueSlotPair) -> bool:
        """Whether a choice is said by a word that is there for something else: "epoch" in "one epoch" is no strategy."""
        text = pair.mention.text
        if not (text.isalpha() and text.islower()):
            return False
        own = set(terms(text))
        other = any(own & slot.name_terms for place, slot in enumerate(self._slots) if place != pair.slot)
        if not other and text not in words("stop"):
            return False
        seen = evidence(nearness(self._statement, pair.mention), self._statement, self._slots[pair.slot], self._weights)
        return seen.name < _NAMED

    def _is_code(self, mention: Mention) -> bool:
        """Whether a word of it has letters and digits: "V2" in "V2 generator"."""
        said = self._statement.tokens[mention.first : mention.last + 1]
        return any(
            one.kind in {"name", "word"} and re.search(r"[A-Za-z]", one.text) and re.search(r"\d", one.text)
            for one in said
        )

    def _is_proper(self, mention: Mention) -> bool:
        """Whether a word is spelled as only names are: with a digit, with capitals, or with one inside a sentence."""
        before = self._statement.tokens[mention.first - 1].text if mention.first else "."
        capital = mention.text[:1].isupper() and before not in {".", "!", "?"}
        return capital or bool(re.search(r"\d|[a-z][A-Z]|[A-Z]{2}", mention.text))


def _is_owed(slot: Slot) -> bool:
    return slot.option.required and slot.option.default is None and not slot.vocabulary and not slot.seen


def _has_all(mention: Mention, slot: Slot) -> bool:
    """Whether a slot for several numbers, or for a series of them, gets as many as its default has."""
    usual = (slot.option.default or "").split(slot.series or None)
    takes_them = slot.several or bool(slot.series)
    return takes_them and len(mention.parts) == len(usual) > 1 and mention.kind == "number"


@lru_cache(maxsize=64)
def _content(statement: ParsedRequest) -> dict[int, Word]:
    return {word.place: word for word in statement.content}


def _words_before(statement: ParsedRequest, place: int) -> tuple[Word, ...]:
    """The content words right before a token, the nearest last; what links them to it ("should be") is left out."""
    content = _content(statement)
    found: list[Word] = []
    for at in range(place - 1, max(-1, place - 1 - _FARTHEST), -1):
        token = statement.tokens[at]
        if at in content and token.kind in {"word", "name"}:
            found.insert(0, content[at])
        elif token.value.lower() not in (_INSIDE if found else _LINKS):
            break
    return tuple(found)


def _ends_with(before: Sequence[Word], name: Sequence[str]) -> bool:
    """Whether words end with a name."""
    last = before[len(before) - len(name) :]
    return len(last) == len(name) > 0 and all(term in said.terms for term, said in zip(name, last, strict=True))
