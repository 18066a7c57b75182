"""Which switches a request asks for in words, and whether on or off."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from ml_agent.offline.reading import ParsedRequest, Word
from ml_agent.offline.slots import Slot, TermWeights
from ml_agent.offline.spelled import FilledSlot
from ml_agent.offline.weights import Weights
from ml_agent.offline.words import alphanumeric, words

_ENDS_DENIAL = frozenset({".", ";", "!", "?"})
_OFF = frozenset({"off", "false", "disabled", "omitted", "skipped", "excluded", "deactivated"})
"""What takes away the thing that stands before it: "compilation switched off"."""
_TAKES = re.compile(r"(?:ignore|drop|remove|strip|discard|exclude|skip|omit|merge)s?\b", re.IGNORECASE)
_KEEPS = frozenset({"keep", "kept", "keeps", "preserve", "preserved", "retain", "retained", "stay", "distinguished"})
_WHEN = frozenset({"after", "at", "when", "once", "if"})
_EMPTY_TERMS = frozenset({"no", "use", "do", "with", "enable", "disable", "not", "is", "skip"})
"""What says nothing of the thing that a name switches."""
_NEGATIVE = re.compile(r"-*(?:no[-_]|disable|not_|skip)")
_MOST_PLACES = 60
"""Places of a request that are looked at for one name of a switch."""
_NAMES_OF_FEATURES = """
name help help_share negated negative_name terms best default_true seen explained adjacent value_near is_bool
head rank whole_name negated_agrees defaulted
"""
SWITCH_FEATURES = tuple(_NAMES_OF_FEATURES.split())


class SwitchEvidence(NamedTuple):
    """Where the request comes closest to saying a switch."""

    vector: list[float]
    negated: bool
    place: int
    """The first token that says it."""
    strength: float
    said: frozenset[str] = frozenset()
    """The words that say it, without marks and in lower case."""


def switches(
    statement: ParsedRequest,
    slots: Sequence[Slot],
    weights: TermWeights,
    spent: frozenset[int],
    filled: Collection[int],
    model: Weights,
    own: frozenset[str] = frozenset(),
) -> list[FilledSlot]:
    """The switches that a request asks for.

    Args:
        statement: the request.
        slots: of the entry point.
        weights: of terms among the entry point's slots.
        spent: numbers of the tokens that name options whose value is stated.
        filled: numbers of the slots that have a value.
        model: the fitted weights.
        own: words that name or describe the program: one whose help text alone has them is not meant.
    """
    found = switch_evidence(statement, slots, weights, spent, filled, own)
    scored = [(place, said, model.switch(said.vector)) for place, said in found]
    return [FilledSlot(place, (switch_value(slots[place], said),), score) for place, said, score in scored if score > 0]


def switch_evidence(
    statement: ParsedRequest,
    slots: Sequence[Slot],
    weights: TermWeights,
    spent: frozenset[int],
    filled: Collection[int],
    own: frozenset[str] = frozenset(),
) -> list[tuple[int, SwitchEvidence]]:
    """Every switch that the request comes near to saying, each with its vector."""
    found: list[tuple[int, SwitchEvidence]] = []
    for place, slot in enumerate(slots):
        if place in filled or not slot.boolean or slot.internal:
            continue
        said = _closest(statement, _Named.all(slot, weights), statement.unspelled, spent)
        if said is not None and (said.vector[0] or not said.said <= own):
            found.append((place, said))
    return [(place, _ranked(place, said, found)) for place, said in found]


def _ranked(place: int, said: SwitchEvidence, found: Sequence[tuple[int, SwitchEvidence]]) -> SwitchEvidence:
    """The evidence with how many other switches the same words say better."""
    better = sum(at != place and one.strength > said.strength and abs(one.place - said.place) < 6 for at, one in found)
    vector = [*said.vector]
    vector[SWITCH_FEATURES.index("rank")] = float(min(better, 4))
    return said._replace(vector=vector)


class _Named:
    """A switch under one of its names."""

    def __init__(self, slot: Slot, weights: TermWeights, name: Sequence[str]) -> None:
        self.slot = slot
        self.weights = weights
        self.core = tuple(term for term in name if term not in _EMPTY_TERMS) or tuple(name)
        self.worth = {term: weights.name(term) + 0.02 for term in self.core}

    @classmethod
    def all(cls, slot: Slot, weights: TermWeights) -> list["_Named"]:
        """It under each of its names."""
        return [cls(slot, weights, name) for name in slot.names]

    def has(self, word: Word) -> bool:
        """Whether a word is of the name or of the help text."""
        return any(term in self.worth or term in self.slot.help_terms for term in word.terms)

    def helps(self, terms: Iterable[str]) -> float:
        """What the four weightiest of the terms weigh in help texts."""
        return sum(sorted(map(self.weights.help, terms), reverse=True)[:4])


def _closest(
    statement: ParsedRequest, names: Sequence[_Named], content: Sequence[Word], spent: frozenset[int]
) -> SwitchEvidence | None:
    """Where the request comes closest to saying a switch; None where no word of it is said."""
    best: SwitchEvidence | None = None
    for wanted in names:
        for at in [at for at, word in enumerate(content) if wanted.has(word)][:_MOST_PLACES]:
            found = _evidence(statement, wanted, _window(statement, content, at), spent)
            if best is None or found.strength > best.strength:
                best = found
    return best


def _window(statement: ParsedRequest, content: Sequence[Word], at: int) -> list[Word]:
    """The words around one, without those that a clause or a sentence keeps away."""
    costs = statement.distances
    here = costs[content[at].place]
    return [one for one in content[max(0, at - 3) : at + 4] if abs(costs[one.place] - here) < 7]


def _evidence(
    statement: ParsedRequest, wanted: _Named, window: Sequence[Word], spent: frozenset[int]
) -> SwitchEvidence:
    """What words beside each other say of a switch."""
    slot, said = wanted.slot, list(dict.fromkeys(term for one in window for term in one.terms))
    weights = [weight for term, weight in wanted.worth.items() if term in said]
    covered = sum(weights) / sum(wanted.worth.values())
    helped = wanted.helps(term for term in said if term in slot.help_terms)
    hits = [one for one in window if wanted.has(one)]
    first, last = min(one.place for one in hits), max(one.place for one in hits)
    named = [one.place for one in hits if any(term in wanted.worth for term in one.terms)]
    negated = _is_negated(statement, {one.place for one in hits}, first, max(named, default=last))
    negated = negated or _is_kept(statement, slot, last)
    known = sum(one.place in spent for one in hits) / len(hits)
    negative = is_negative(slot)
    default = (slot.option.default or "").lower() in {"true", "1"}
    vector = [
        covered,
        helped,
        helped / (1.0 + 0.25 * len(slot.help_terms)),
        float(negated),
        float(negative),
        float(len(wanted.core)),
        max(weights, default=0.0),
        float(default),
        min(1.0, len(slot.seen) / 3),
        known,
        float(last - first <= len(hits) + 1),
        float(_is_near_value(statement, first, last)),
        float(not slot.option.switch),
        float(wanted.core[-1] in said),
        0.0,
        float(covered > 0.95),
        float(negated == negative),
        float(default != negated and not negative),
    ]
    strength = covered * 2 + helped * 0.6 - known
    return SwitchEvidence(vector, negated, first, strength, frozenset(alphanumeric(one.text) for one in hits))


def _is_near_value(statement: ParsedRequest, first: int, last: int) -> bool:
    """Whether a number or a path stands right before or behind."""
    values = (one for one in statement.mentions if one.kind in {"number", "path"})
    return any(min(abs(one.first - last), abs(one.last - first)) <= 2 for one in values)


def _is_negated(statement: ParsedRequest, own: Collection[int], first: int, last: int) -> bool:
    """Whether a word of denial stands before or among the words of a switch, or one that switches off right behind them."""
    ahead = range(max(0, first - 4), first)
    begin = next((at + 1 for at in reversed(ahead) if statement.tokens[at].text in _ENDS_DENIAL), ahead.start)
    for at in range(begin, last + 1):
        word = statement.tokens[at].text.lower().replace("’", "'")
        following = [token.value.lower() for token in statement.tokens[at + 1 : at + 2]]
        if word == "stop" and _WHEN.intersection(following):
            continue  # "stop after 100 steps" denies nothing
        if word in ({"no", "not", "without"} if at in own else words("denials")) or (
            at in own and word.startswith("non-")
        ):
            return True
    for token in statement.tokens[last + 1 : last + 7]:
        if token.kind == "mark" or token.value.lower() == "true":
            break
        if token.value.lower() in _OFF:
            return True
    return False


def _is_kept(statement: ParsedRequest, slot: Slot, last: int) -> bool:
    """Whether what a switch takes away is to stay: "case should be kept" where it ignores case."""
    return _TAKES.match(slot.option.help) is not None and any(
        token.value.lower() in _KEEPS for token in statement.tokens[last + 1 : last + 5]
    )


def is_negative(slot: Slot) -> bool:
    """Whether its own name says no."""
    return any(map(_NEGATIVE.match, (slot.option.dest.lower(), *slot.option.flags)))


def switch_value(slot: Slot, said: SwitchEvidence) -> str:
    """Whether a switch is wanted on or off; one whose own name says no is wanted where its thing is not."""
    wanted = not said.negated or is_negative(slot)
    return str(int(wanted)) if slot.binary else str(wanted)
