"""Puts what a request states into the slots of one entry point: one assignment over all values and slots."""

import posixpath
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from ml_agent.matching import features
from ml_agent.matching.assignment import best_matching
from ml_agent.matching.candidates import candidates
from ml_agent.matching.devices import FOR_PROCESSOR, NO_DEVICES, place_devices
from ml_agent.matching.evidence import Evidence, evidence, nearness
from ml_agent.matching.features import CompetingEvidence
from ml_agent.matching.fitting import has_its_count, is_possible, spelling_in_slot
from ml_agent.matching.forms import Forms
from ml_agent.matching.meanings import VocabularyMatch
from ml_agent.matching.mentions import Mention, ParsedRequest, SpelledOption
from ml_agent.matching.save_places import place_saves
from ml_agent.matching.scores import PlacementPrior, Scores, ValueSlotPair
from ml_agent.matching.sense import option_alignment
from ml_agent.matching.series import reunite_series, with_series, without_counts, without_torn_ranges
from ml_agent.matching.slots import Slot, TermWeights
from ml_agent.matching.spelled import FilledSlot, is_whole, kept_words, spelled_slots
from ml_agent.matching.switches import SwitchEvidence, contradicts, is_ruled_out, switch_value, switches
from ml_agent.matching.terms import alphanumeric, terms
from ml_agent.values.lexer import is_path

OptionAlignment: TypeAlias = Any

__all__ = [
    "FilledSlot",
    "SlotAssignment",
    "fill",
    "spelled_slots",
    "spelling_in_slot",
    "used_tokens",
    "value_slot_pairs",
]

_CAPACITY = 6
"""How many values one slot takes at most."""
_MOST_VALUES = 250
"""So many values of a request are placed: each is weighed against all others."""
_LONGEST_NAME = 5
"""So many words make the name of a program at most."""
_Found = tuple[Mention, int, Evidence, VocabularyMatch | None]
"""A value, the slot where it could be, what is said for that, and what of the slot's own vocabulary it is."""
_Scored = tuple[ValueSlotPair, float]
_Spot = tuple[int, int, str]
"""First and last token of a value, and the value."""
_Rows = Mapping[_Spot, Sequence[_Scored]]


class SlotAssignment(msgspec.Struct, frozen=True):
    """An entry point with the request's values in its slots."""

    placed: tuple[FilledSlot, ...]
    unplaced: tuple[Mention, ...]
    """Values without a slot."""
    unknown: tuple[SpelledOption, ...]
    """Spelled options that the entry point does not have."""
    unlisted: tuple[str, ...] = ()
    """Words of spelled options of which nothing is known, for an entry point that takes more options than are listed."""
    environment: tuple[str, ...] = ()
    """Assignments that stand before the command."""


class Callee(NamedTuple):
    """What is called, as far as it bears on values."""

    names: frozenset[str] = frozenset()
    """Its own names and the repository's, without marks and in lower case: they are no values of it."""
    folders: tuple[str, ...] = ()
    """Where it lies, and where it is called from."""
    described: frozenset[str] = frozenset()
    """The words by which it describes itself, without marks and in lower case, but for the shortest ("a")."""
    flexible: bool = False
    """Whether it takes options that are not listed."""


def value_slot_pairs(
    statement: ParsedRequest, slots: Sequence[Slot], weights: TermWeights, taken: Sequence[FilledSlot] = ()
) -> list[ValueSlotPair]:
    """Every value with every slot where it could be, each with its vector."""
    spans = [(start, start + len(one.text)) for one in taken for start in one.starts]
    used = {one.slot for one in taken if not slots[one.slot].several or is_whole(one)}
    sense = option_alignment(statement, slots)
    found: list[_Found] = []
    for place, slot in enumerate(slots):
        if place in used or slot.boolean or slot.internal:
            continue
        for mention, entry in candidates(statement, slots, place, statement.mentions[:_MOST_VALUES], spans):
            seen = evidence(nearness(statement, mention), statement, slot, weights)
            meant = sense is not None and mention.kind == "number" and sense.is_aligned(mention, place)
            if entry is not None or is_possible(slot, mention, seen) or meant:
                found.append((mention, place, seen, entry))
    found = _without_example_files(found)
    compare = _Comparison(found)
    return [
        ValueSlotPair(m, p, [*features.features(statement, m, slots[p], e, compare.others(m, p), entry), *_sense(sense, m, slots[p], (p, compare.at(p)), entry)], entry)
        for m, p, e, entry in found
    ]  # fmt: skip


def _without_example_files(found: Sequence[_Found]) -> list[_Found]:
    """The same without other slots for a file that an example gives one: who names it means that one, which the example keeps anyway."""
    kept = {(one.first, one.last) for one, _, _, match in found if match and match.exact and is_path(match.value)}
    return [one for one in found if one[3] is not None or (one[0].first, one[0].last) not in kept]


def _sense(
    sense: "OptionAlignment | None",
    mention: Mention,
    slot: Slot,
    at: tuple[int, Sequence[Mention]],
    entry: VocabularyMatch | None,
) -> list[float]:
    """SENSE_FEATURES: by how it is said, for a value is said otherwise than a choice, and otherwise than by a plain word."""
    if sense is None:
        return []
    said, idle = sense.features(mention, *at), [0.0] * 4
    if entry is not None:
        meaning = [1.0, entry.strength, entry.margin] if entry.by_meaning else [0.0] * 3
        return [*idle, *said, *_NOT_PLAIN, *meaning]
    if mention.kind != "word":
        return [*said, *idle, *_NOT_PLAIN, *[0.0] * 3]
    own = set(terms(mention.value))
    named = bool(own & slot.name_terms)
    helped = mention.value.lower() in slot.option.help.lower().split()
    return [*idle, *idle, 1.0, *said, float(named), float(helped), *[0.0] * 3]


_NOT_PLAIN = [0.0] * 7


class _Comparison:
    """The most that is said by each value and for each slot.

    Args:
        found: every value with every slot where it could be, and what is said for it.
    """

    def __init__(self, found: Sequence[_Found]) -> None:
        self._by_value: dict[tuple[int, int], list[tuple[int, Evidence]]] = defaultdict(list)
        self._by_slot: dict[int, list[tuple[Mention, Evidence]]] = defaultdict(list)
        for mention, place, seen, _ in found:
            self._by_value[mention.first, mention.last].append((place, seen))
            self._by_slot[place].append((mention, seen))

    def at(self, place: int) -> list[Mention]:
        """The values that could go into a slot."""
        return [mention for mention, _ in self._by_slot[place]]

    def others(self, mention: Mention, place: int) -> CompetingEvidence:
        """What is said for other slots by this value, and by values elsewhere for this slot."""
        slots = [seen for at, seen in self._by_value[mention.first, mention.last] if at != place]
        values = [
            seen
            for other, seen in self._by_slot[place]
            if not (other.first <= mention.last and mention.first <= other.last)
        ]
        return CompetingEvidence(
            max((one.name for one in slots), default=0.0), max((one.help for one in slots), default=0.0),
            max((one.name for one in values), default=0.0), max((one.help for one in values), default=0.0),
        )  # fmt: skip


def fill(
    statement: ParsedRequest,
    slots: Sequence[Slot],
    model: Scores,
    prior: PlacementPrior | None = None,
    callee: Callee = Callee(),
) -> SlotAssignment:
    """Put the values of a request into the slots of one entry point.

    Args:
        statement: the request.
        slots: of the entry point.
        model: the learned tables.
        prior: what else is known of each placement, as log-odds.
        callee: what is called.
    """
    weights = TermWeights(slots)
    taken, unknown = spelled_slots(statement, slots)
    device = place_devices(statement, slots, taken) if callee.names else NO_DEVICES
    taken += [*device.placed, *place_saves(statement, slots, [*taken, *device.placed])]
    kept = _keep_options(unknown if callee.flexible else (), device.spans)
    forms = Forms(statement, slots, weights)
    scored = [
        (pair, _score(pair, model, forms, prior))
        for pair in value_slot_pairs(statement, slots, weights, taken)
        if not (kept.holds(pair.mention) or _is_own_name(statement, pair, slots, callee))
    ]
    rows = _without_overlaps(scored, slots)
    placed = _mend_series(statement, [*taken, *_best_assignment(rows, slots)], slots)
    starts = {start for one in placed for start in one.starts}
    spent = used_tokens(statement, placed, slots)
    for place, slot, said, score in switches(
        statement, slots, weights, spent, {one.slot for one in placed}, model.switch, callee.names | callee.described
    ):
        score += prior.switch(place) if prior else 0.0
        if score > 0 and not _is_refused(statement, slots, slot, said):
            placed.append(FilledSlot(place, (switch_value(slot, said),), score, "said in words", (), ""))
    left = tuple(m for m in statement.mentions if _is_single(m) and m.start not in starts and not kept.holds(m))
    stray = tuple(one for one in unknown if one not in kept.options)
    return SlotAssignment(tuple(placed), left, stray, kept.words, device.environment)


def _score(pair: ValueSlotPair, model: Scores, forms: Forms, prior: PlacementPrior | None) -> float:
    """Log-odds that a value belongs in a slot, and in any."""
    learned = model.value(pair.vector) + model.stake.get(pair.mention.kind, 0.0)
    return learned + forms.score(pair) + (prior.value(pair.mention, pair.slot) if prior is not None else 0.0)


def _is_refused(statement: ParsedRequest, slots: Sequence[Slot], slot: Slot, said: SwitchEvidence) -> bool:
    """Whether a request says what rules a switch out; who names a card wants it, however `--no_cuda` is heard."""
    if alphanumeric(slot.option.dest) in FOR_PROCESSOR and contradicts(said):
        return True
    return switch_value(slot, said) in {"True", "1"} and is_ruled_out(statement, slots, slot)


def _mend_series(statement: ParsedRequest, placed: Sequence[FilledSlot], slots: Sequence[Slot]) -> list[FilledSlot]:
    """What belongs together is together, and a slot for so many values has them."""
    placed = with_series(statement, reunite_series(statement, placed, slots), slots)
    placed = without_torn_ranges(statement, without_counts(statement, placed, slots), slots)
    return [one for one in placed if has_its_count(slots[one.slot], one)]


def _is_own_name(statement: ParsedRequest, pair: ValueSlotPair, slots: Sequence[Slot], callee: Callee) -> bool:
    """Whether a value is what is called, the folder of it, or the name of one of its options: "turn on learn_t", "bm25 k1 1.1"."""
    mention = pair.mention
    said, value = alphanumeric(mention.text), alphanumeric(mention.value)
    if pair.match is not None:  # a choice may be called like the program, a file that only holds its name is not meant
        return (said in callee.names and said != value) or _is_within_name(statement, mention, callee)
    if value in callee.names or (mention.kind == "name" and value in callee.described):
        return True
    if mention.kind == "path":
        folder = posixpath.normpath(mention.value)
        own = any(f"{one}/".startswith(f"{folder}/") for one in callee.folders)
        return own and folder != "."
    name = mention.text.replace("-", "_")
    if mention.kind != "name" or not any(name == slot.option.dest for slot in slots):
        return False
    counted = any(one.kind == "number" for one in statement.tokens[mention.last + 1 : mention.last + 2])
    return counted or "_" in name


def _is_within_name(statement: ParsedRequest, mention: Mention, callee: Callee) -> bool:
    """Whether a value is one of several words that are the name of what is called: "cnn" in "train bag cnn" for train_bag_cnn.py."""
    first = max(0, mention.first - _LONGEST_NAME + 1)
    words = [alphanumeric(token.value) for token in statement.tokens[first : mention.last + _LONGEST_NAME]]
    start, end = mention.first - first, mention.last - first + 1
    spans = ((a, b) for a in range(start + 1) for b in range(end, len(words) + 1) if (a, b) != (start, end))
    return any(all(words[a:b]) and "".join(words[a:b]) in callee.names for a, b in spans)


def _is_single(mention: Mention) -> bool:
    return not mention.parts and not mention.whole and mention.kind not in {"factor", "absence"}


class _UnlistedOptions(NamedTuple):
    """Spelled options that are taken as they stand."""

    options: tuple[SpelledOption, ...]
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    """The stretches of the request that they are."""

    def holds(self, mention: Mention) -> bool:
        """Whether a value is the value of one of them."""
        return any(start <= mention.start < end for start, end in self.spans)


def _keep_options(spelled: Sequence[SpelledOption], spent: Sequence[tuple[int, int]]) -> _UnlistedOptions:
    options = tuple(one for one in spelled if one.name.startswith("-"))
    found = [kept_words(one) for one in options]
    spans = tuple((one.start, end) for one, (_, end) in zip(options, found, strict=True))
    return _UnlistedOptions(options, tuple(word for words, _ in found for word in words), (*spans, *spent))


def _outweigh(parts: Sequence[float], together: float, made: Mention) -> bool:
    """Whether values say more apart: those of a series all together, the sides of a size on the average, as who says "by" means one thing."""
    return (sum(parts) / len(parts) if made.whole else sum(parts)) > together


def _hold(parts: Sequence[_Spot], rows: _Rows, slots: Sequence[Slot]) -> bool:
    """Whether values have room beside each other: in different slots, or in one for several."""
    wanted = {max(rows[one], key=lambda pair: pair[1])[0].slot for one in parts}
    return len(wanted) > 1 or any(slots[one].several for one in wanted)


def _without_overlaps(scored: Sequence[_Scored], slots: Sequence[Slot]) -> _Rows:
    """By mention: its pairs; of mentions that overlap those are kept that score best together."""
    rows: dict[_Spot, list[_Scored]] = defaultdict(list)
    for pair, score in scored:
        if score > 0:
            rows[pair.mention.first, pair.mention.last, pair.mention.value].append((pair, score))
    best = {key: max(score for _, score in several) for key, several in rows.items()}
    kept: dict[_Spot, Sequence[_Scored]] = {}
    for key in sorted(rows, key=lambda one: -best[one]):
        inside = [one for one in rows if one != key and one[0] <= key[1] and key[0] <= one[1]]
        made = rows[key][0][0].mention
        apart = made.whole or made.parts
        parts = [one for one in inside if apart and one[1] - one[0] < key[1] - key[0]]
        if len(parts) > 1 and _outweigh([best[one] for one in parts], best[key], made) and _hold(parts, rows, slots):
            continue
        if any(one in kept for one in inside):
            continue
        kept[key] = rows[key]
    return kept


def _best_assignment(rows: _Rows, slots: Sequence[Slot]) -> list[FilledSlot]:
    """The best overall matching; a slot for several values has several places."""
    columns: list[tuple[int, int]] = []
    index: dict[tuple[int, int], int] = {}
    ordered = sorted(rows)
    scores: list[dict[int, float]] = []
    for key in ordered:
        row: dict[int, float] = {}
        for pair, score in rows[key]:
            for copy in range(_CAPACITY if slots[pair.slot].several and not pair.mention.parts else 1):
                column = index.setdefault((pair.slot, copy), len(columns))
                if column == len(columns):
                    columns.append((pair.slot, copy))
                row[column] = max(row.get(column, 0.0), score - 0.3 * copy)
        scores.append({column: score for column, score in row.items() if score > 0})
    found: dict[int, list[_Scored]] = defaultdict(list)
    for at, column in sorted(best_matching(scores, len(columns)).items()):
        slot = columns[column][0]
        pair = next(pair for pair, _ in rows[ordered[at]] if pair.slot == slot)
        found[slot].append((pair, scores[at][column]))
    return [_together(slots[slot], several) for slot, several in found.items()]


def _together(slot: Slot, several: Sequence[_Scored]) -> FilledSlot:
    """The values of one slot, in their order; beside a file no plain word is one: "the podcast talk.wav" is one file."""
    files = any(pair.mention.kind == "path" for pair, _ in several)
    meant = [one for one in several if not files or one[0].mention.kind != "word" or one[0].match is not None]
    ordered = sorted(meant, key=lambda one: one[0].mention.start)
    mentions = [pair.mention for pair, _ in ordered]
    values = tuple(word for mention in mentions for word in spelling_in_slot(mention, slot))
    starts = tuple(mention.start for mention in mentions)
    said = "; ".join(mention.text for mention in mentions)
    return FilledSlot(ordered[0][0].slot, values, min(score for _, score in ordered), "said", starts, said)


def used_tokens(statement: ParsedRequest, placed: Sequence[FilledSlot], slots: Sequence[Slot]) -> frozenset[int]:
    """The tokens that name a slot whose value is stated near them, and those values."""
    found: set[int] = set()
    spots = {start: one for one in placed for start in one.starts}
    for place, token in enumerate(statement.tokens):
        one = spots.get(token.start)
        if one is None:
            continue
        end = token.start + len(one.text)
        named = slots[one.slot].name_terms
        found.update(
            at for at, other in enumerate(statement.tokens) if token.start <= other.start < max(end, token.end)
        )
        for word in statement.content:
            if abs(statement.distances[word.place] - statement.distances[place]) < 5 and named & set(word.terms):
                found.add(word.place)
    return frozenset(found)
