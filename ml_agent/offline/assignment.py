"""Puts the values of a request into the slots of one entry point, all at once: the assignment whose log-odds are greatest together.

Steps: spelled options first; then each value with each slot that may take it (`candidates`), scored by the fitted weights; of these the
best matching (`best_placements`); then the switches.
"""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ml_agent.offline.evidence import evidence, nearness
from ml_agent.offline.features import Candidate, Rivals, features
from ml_agent.offline.fitting import is_possible, spelling_in_slot, takes_kind
from ml_agent.offline.reading import Mention, ParsedRequest, within
from ml_agent.offline.slots import Slot, TermWeights
from ml_agent.offline.spelled import FilledSlot, spelled_slots
from ml_agent.offline.switches import switches
from ml_agent.offline.vocabulary import vocabulary_matches
from ml_agent.offline.weights import Weights
from ml_agent.offline.words import alphanumeric, terms, words
from ml_agent.user_values import ExplicitFlag

_MOST_VALUES = 250
"""So many values of a request are placed: each is weighed against all others."""
_CAPACITY = 6
"""How many values one slot takes at most."""
_CROWDED, _TOGETHER = 0.3, 0.01
"""What each further value of a slot costs, as log-odds; what a series has before its parts."""
_NAMED = 0.3
"""So much of a slot's name must be said that a common word may be its choice."""


class SlotAssignment(NamedTuple):
    """An entry point with the request's values in its slots."""

    placed: tuple[FilledSlot, ...]
    switched: tuple[FilledSlot, ...]
    """Switches that the request says in words."""
    unplaced: tuple[Mention, ...]
    """Values without a slot."""
    unknown: tuple[ExplicitFlag, ...]
    """Spelled options that the entry point does not have."""

    @property
    def all(self) -> tuple[FilledSlot, ...]:
        """All that is filled."""
        return (*self.placed, *self.switched)


class Callee(NamedTuple):
    """What is called, as far as it bears on values."""

    names: frozenset[str] = frozenset()
    """Its own names and the repository's, without marks and in lower case: they are no values of it."""
    folders: tuple[str, ...] = ()
    """Where it lies, and where it is called from."""
    described: frozenset[str] = frozenset()
    """The words by which it describes itself."""


class Prior(Protocol):
    """What else is known of placements."""

    def value(self, mention: Mention, slot: int) -> float:
        """What speaks for a value in a slot, as log-odds."""


class Scored(NamedTuple):
    """A value in a slot, with its vector and its log-odds."""

    candidate: Candidate
    vector: list[float]
    score: float = 0.0


def candidates(
    statement: ParsedRequest, slots: Sequence[Slot], weights: TermWeights, taken: Sequence[FilledSlot] = ()
) -> list[Scored]:
    """Every value with every slot where it could be, each with its vector."""
    spans = [(start, start + max(1, len(one.text))) for one in taken for start in one.starts]
    used = {one.slot for one in taken}
    stated = [one for one in statement.mentions[:_MOST_VALUES] if not within(one.start, spans)]
    found: list[Candidate] = []
    for place, slot in enumerate(slots):
        if place in used or slot.boolean or slot.internal:
            continue
        matches = [one for one in vocabulary_matches(statement, slot) if not within(one.mention.start, spans)]
        said = {alphanumeric(one.value) for one in matches}
        exact = {(one.mention.first, one.mention.last) for one in matches if one.exact}
        plain = [
            one
            for one in stated
            if not (one.kind == "name" and (one.first, one.last) in exact)
            and alphanumeric(one.value) not in said
            and takes_kind(slot, one)
        ]
        for mention, match in [*((one.mention, one) for one in matches), *((one, None) for one in plain)]:
            seen = evidence(nearness(statement, mention), statement, slot, weights)
            if match is not None or is_possible(statement, slot, mention, seen):
                found.append(Candidate(mention, place, seen, match))
    names = Counter(term for slot in slots for term in slot.name_terms)
    found = [one._replace(ordinary=_is_ordinary(one, slots[one.place], names)) for one in found]
    rivals = _Rivalry(found)
    return [Scored(one, features(statement, one, slots[one.place], rivals.of(one))) for one in found]


def _is_ordinary(one: Candidate, slot: Slot, names: Mapping[str, int]) -> bool:
    """Whether a known value is said by a common word, or one of other options' names, and its slot is not named."""
    text = one.mention.text
    if one.match is None or not (text.isalpha() and text.islower()) or one.seen.name >= _NAMED:
        return False
    return text in words("stop") or any(names[term] > (term in slot.name_terms) for term in terms(text))


class _Rivalry:
    """The most that is said by each value and for each slot."""

    def __init__(self, found: Sequence[Candidate]) -> None:
        self._by_value: dict[tuple[int, int], list[Candidate]] = defaultdict(list)
        self._by_slot: dict[int, list[Candidate]] = defaultdict(list)
        for one in found:
            self._by_value[one.mention.first, one.mention.last].append(one)
            self._by_slot[one.place].append(one)

    def of(self, one: Candidate) -> Rivals:
        """What is said for other slots by this value, and by values elsewhere for this slot."""
        slots = [
            other.seen for other in self._by_value[one.mention.first, one.mention.last] if other.place != one.place
        ]
        values = [other.seen for other in self._by_slot[one.place] if not _overlap(other.mention, one.mention)]
        most = [
            max((getattr(seen, what) for seen in side), default=0.0)
            for side in (slots, values)
            for what in ("name", "help")
        ]
        return Rivals(*most)


def _overlap(one: Mention, other: Mention) -> bool:
    return one.first <= other.last and other.first <= one.last


def assign(
    statement: ParsedRequest,
    slots: Sequence[Slot],
    model: Weights,
    callee: Callee = Callee(),
    prior: Prior | None = None,
) -> SlotAssignment:
    """Put the values of a request into the slots of one entry point.

    Args:
        statement: the request.
        slots: of the entry point.
        model: the fitted weights.
        callee: what is called.
        prior: what else is known of each placement.
    """
    weights = TermWeights(slots)
    taken, unknown = spelled_slots(statement, slots)
    found = candidates(statement, slots, weights, taken)
    scored = [one._replace(score=_score(one, model, prior)) for one in found if not _is_own_name(one.candidate, callee)]
    scored = _with_series(scored, slots)
    placed = [*taken, *best_placements(scored, slots)]
    starts = {start for one in placed for start in one.starts}
    spent, filled = used_tokens(statement, placed, slots), {one.slot for one in placed}
    switched = switches(statement, slots, weights, spent, filled, model, callee.names | callee.described)
    spans = [(one.start, one.end) for one in statement.flags]
    left = [
        one
        for one in statement.mentions
        if not one.parts and one.kind != "absence" and one.start not in starts and not within(one.start, spans)
    ]
    return SlotAssignment(tuple(placed), tuple(switched), tuple(left), tuple(unknown))


def _score(one: Scored, model: Weights, prior: Prior | None) -> float:
    """Log-odds that a value belongs in a slot, and in any."""
    mention = one.candidate.mention
    own = model.value(one.vector) + model.stake.get(mention.kind, 0.0)
    return own + (prior.value(mention, one.candidate.place) if prior is not None else 0.0)


def _with_series(scored: Sequence[Scored], slots: Sequence[Slot]) -> list[Scored]:
    """The scores, those of a series raised to the best of its parts in the same slot where no part does better in another."""
    single: dict[tuple[int, str], dict[int, float]] = defaultdict(dict)
    for one in scored:
        single[one.candidate.mention.first, one.candidate.mention.value][one.candidate.place] = one.score
    found = []
    for one in scored:
        mention, place = one.candidate.mention, one.candidate.place
        parts = [
            by_slot
            for (first, value), by_slot in single.items()
            if mention.first <= first <= mention.last and value in mention.parts and place in by_slot
        ]
        whole = slots[place].several and len(parts) == len(mention.parts) > 1
        best = [by_slot[place] >= max(0.0, *by_slot.values()) or max(by_slot.values()) <= 0 for by_slot in parts]
        if (whole and all(best)) or (slots[place].series and any(best)):
            one = one._replace(score=max(one.score, _TOGETHER + max(by_slot[place] for by_slot in parts)))
        found.append(one)
    return found


def _is_own_name(one: Candidate, callee: Callee) -> bool:
    """Whether a value is what is called, or the folder of it."""
    mention, value = one.mention, alphanumeric(one.mention.value)
    if one.match is not None:  # a choice may be called like the program
        return alphanumeric(mention.text) in callee.names and alphanumeric(mention.text) != value
    if value in callee.names or (mention.kind == "name" and value in callee.described):
        return True
    folder = posixpath.normpath(mention.value)
    return (
        mention.kind == "path" and folder != "." and any(f"{own}/".startswith(f"{folder}/") for own in callee.folders)
    )


def best_placements(scored: Sequence[Scored], slots: Sequence[Slot]) -> list[FilledSlot]:
    """The placements that score best together; a slot for several values has several places."""
    rows = _without_overlaps([one for one in scored if one.score > 0])
    columns = [
        (place, copy)
        for place in sorted({one.candidate.place for several in rows for one in several})
        for copy in range(_CAPACITY if slots[place].several else 1)
    ]
    gain = np.zeros((len(rows), len(columns) + len(rows)))
    index = {column: at for at, column in enumerate(columns)}
    for row, several in enumerate(rows):
        for one in several:
            for copy in range(
                _CAPACITY if slots[one.candidate.place].several and not one.candidate.mention.parts else 1
            ):
                gain[row, index[one.candidate.place, copy]] = max(0.0, one.score - _CROWDED * copy)
    chosen: dict[int, list[Scored]] = defaultdict(list)
    for row, column in best_matching(gain).items():
        if column < len(columns) and gain[row, column] > 0:
            chosen[columns[column][0]].append(
                next(one for one in rows[row] if one.candidate.place == columns[column][0])
            )
    return [_together(slots[place], several) for place, several in sorted(chosen.items())]


def _without_overlaps(scored: Sequence[Scored]) -> list[list[Scored]]:
    """By value its places; of values that overlap those are kept that score best together: a series as a whole, or its parts."""
    rows: dict[tuple[int, int, str], list[Scored]] = defaultdict(list)
    for one in scored:
        rows[one.candidate.mention.first, one.candidate.mention.last, one.candidate.mention.value].append(one)
    best = {key: max(one.score for one in several) for key, several in rows.items()}
    kept: list[tuple[int, int, str]] = []
    for key in sorted(rows, key=lambda key: (-best[key], key)):
        count = len(rows[key][0].candidate.mention.parts)
        parts = [other for other in rows if key[0] <= other[0] and other[1] <= key[1] and other[:2] != key[:2]]
        apart = count > 1 and len(parts) >= count and sum(best[one] for one in parts) / len(parts) > best[key]
        if not apart and all(other[1] < key[0] or key[1] < other[0] for other in kept):
            kept.append(key)
    return [rows[key] for key in sorted(kept)]


def best_matching(gain: np.ndarray) -> dict[int, int]:
    """For each row the column that it is matched with, so that the sum of gains is the greatest (Hungarian method).

    Args:
        gain: at least as many columns as rows.
    """
    rows, columns = gain.shape
    of_row, of_column = np.zeros(rows + 1), np.zeros(columns + 1)
    row_of, came_from = np.zeros(columns + 1, int), np.zeros(columns + 1, int)
    for row in range(1, rows + 1):
        row_of[0], at = row, 0
        least, done = np.full(columns + 1, np.inf), np.zeros(columns + 1, bool)
        while True:
            done[at] = True
            reduced = -gain[row_of[at] - 1] - of_row[row_of[at]] - of_column[1:]
            better = ~done[1:] & (reduced < least[1:])
            least[1:][better], came_from[1:][better] = reduced[better], at
            step = np.where(done, np.inf, least).min()
            following = int(np.where(done, np.inf, least).argmin())
            of_row[row_of[done]] += step
            of_column[done] -= step
            least[~done] -= step
            at = following
            if row_of[at] == 0:
                break
        while at:
            row_of[at] = row_of[came_from[at]]
            at = came_from[at]
    return {int(row_of[column]) - 1: column - 1 for column in range(1, columns + 1) if row_of[column]}


def _together(slot: Slot, several: Sequence[Scored]) -> FilledSlot:
    """The values of one slot, in their order."""
    ordered = sorted(several, key=lambda one: one.candidate.mention.start)
    mentions = [one.candidate.mention for one in ordered]
    values = tuple(word for mention in mentions for word in spelling_in_slot(mention, slot))
    text = "; ".join(mention.text for mention in mentions)
    starts = tuple(mention.start for mention in mentions)
    return FilledSlot(ordered[0].candidate.place, values, min(one.score for one in ordered), starts, text)


def used_tokens(statement: ParsedRequest, placed: Sequence[FilledSlot], slots: Sequence[Slot]) -> frozenset[int]:
    """The tokens that name a slot whose value is stated near them, and those values."""
    found: set[int] = set()
    spots: Mapping[int, FilledSlot] = {start: one for one in placed for start in one.starts}
    for place, token in enumerate(statement.tokens):
        one = spots.get(token.start)
        if one is None:
            continue
        end = max(token.start + len(one.text), token.end) if len(one.starts) == 1 else token.end
        found.update(at for at, other in enumerate(statement.tokens) if token.start <= other.start < end)
        named = slots[one.slot].name_terms
        near = (
            word for word in statement.content if abs(statement.distances[word.place] - statement.distances[place]) < 5
        )
        found.update(word.place for word in near if named & set(word.terms))
    return frozenset(found)
