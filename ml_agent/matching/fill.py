"""Puts what a request states into the slots of one entry point: one assignment over all values and slots."""

import posixpath
import re
from collections.abc import Mapping, Sequence, Set
from decimal import Decimal

import msgspec

from ml_agent.matching import features
from ml_agent.matching.assignment import best_matching
from ml_agent.matching.evidence import Evidence, evidence, nearness
from ml_agent.matching.features import Others
from ml_agent.matching.meanings import Entry, meant
from ml_agent.matching.mentions import Mention, Spelled, Statement
from ml_agent.matching.scores import Opinion, Pair, Scores, value_score
from ml_agent.matching.slots import Slot, Weights
from ml_agent.matching.spelled import Placed, spelled_slots
from ml_agent.matching.switches import contradicts, switches, truth
from ml_agent.matching.terms import plain
from ml_agent.values.numbers import number
from ml_agent.values.numbers import plain as plain_number

__all__ = ["Filled", "Placed", "explained", "fill", "pairs", "spelled_slots", "typed"]

_CAPACITY = 6
"""How many values one slot takes at most."""
_NAMED = 0.3
"""So much of its name must be said that a number may go where no number was seen."""
_LEAST = 0.05
"""Without any such evidence a value and a slot have nothing to do with each other."""


_LISTED = re.compile(r"[A-Za-z][\w-]*")


class Filled(msgspec.Struct, frozen=True):
    """An entry point with the request's values in its slots."""

    placed: tuple[Placed, ...]
    left: tuple[Mention, ...]
    """Values without a slot."""
    unknown: tuple[Spelled, ...]
    """Spelled options that the entry point does not have."""


def pairs(statement: Statement, slots: Sequence[Slot], weights: Weights, taken: Sequence[Placed] = ()) -> list[Pair]:
    """Every value with every slot where it could be, each with its vector."""
    spans = [(start, start + len(one.text)) for one in taken for start in one.starts]
    used = {one.slot for one in taken if not slots[one.slot].several}
    literal = [one for one in statement.mentions if not any(a <= one.start < b for a, b in spans)]
    found: list[tuple[Mention, int, Evidence, Entry | None]] = []
    open_slots = [
        (place, slot)
        for place, slot in enumerate(slots)
        if place not in used and not slot.boolean and not slot.internal
    ]
    for place, slot in open_slots:
        entries = [one for one in meant(statement, slot) if not any(a <= one.mention.start < b for a, b in spans)]
        for entry in entries:
            seen = evidence(nearness(statement, entry.mention), statement, slot, weights)
            found.append((entry.mention, place, seen, entry))
        said = {plain(entry.value) for entry in entries}
        for mention in literal:
            if plain(mention.value) in said or not _takes(slot, mention):
                continue
            seen = evidence(nearness(statement, mention), statement, slot, weights)
            if _is_possible(slot, mention, seen):
                found.append((mention, place, seen, None))
    compare = _Comparison(found)
    return [
        Pair(m, p, features.features(statement, m, slots[p], e, compare.others(m, p), entry), entry)
        for m, p, e, entry in found
    ]


class _Comparison:
    """The most that is said by each value and for each slot.

    Args:
        found: every value with every slot where it could be, and what is said for it.
    """

    def __init__(self, found: Sequence[tuple[Mention, int, Evidence, Entry | None]]) -> None:
        self._by_value: dict[tuple[int, int], list[tuple[int, Evidence]]] = {}
        self._by_slot: dict[int, list[tuple[Mention, Evidence]]] = {}
        for mention, place, seen, _ in found:
            self._by_value.setdefault((mention.first, mention.last), []).append((place, seen))
            self._by_slot.setdefault(place, []).append((mention, seen))

    def others(self, mention: Mention, place: int) -> Others:
        """What is said for other slots by this value, and by values elsewhere for this slot."""
        slots = [seen for at, seen in self._by_value[mention.first, mention.last] if at != place]
        values = [
            seen
            for other, seen in self._by_slot[place]
            if not (other.first <= mention.last and mention.first <= other.last)
        ]
        return Others(
            max((one.name for one in slots), default=0.0), max((one.help for one in slots), default=0.0),
            max((one.name for one in values), default=0.0), max((one.help for one in values), default=0.0),
        )  # fmt: skip


def _takes(slot: Slot, mention: Mention) -> bool:
    """Whether a slot takes a value of this kind at all."""
    if mention.parts and (not slot.several if mention.whole else slot.several or not slot.listed):
        return False
    if mention.kind == "absence":
        return slot.zero is not None
    if slot.closed and mention.kind != "factor":
        return any(_same(choice, part) for choice in slot.vocabulary for part in (mention.parts or (mention.value,)))
    if mention.kind == "factor":
        return slot.numeric_default is not None and slot.option.type in {"int", "float", "str", "unknown"}
    if mention.kind == "number":
        amount = number(mention.value)
        whole = amount is None or amount == amount.to_integral_value()
        if (
            slot.option.type in {"str", "unknown"}
            and slot.numeric_default is None
            and slot.role & {"path", "output", "input"}
        ):
            return False
        if slot.option.type == "str" and slot.numeric_default is None and slot.vocabulary:
            return False
        return (
            slot.takes_number()
            and (whole or slot.option.type != "int")
            and (amount is not None or slot.option.type not in {"int", "float"} or bool(mention.parts))
        )
    if mention.kind in {"path", "name", "text", "word"}:
        return slot.option.type in {"str", "path", "unknown", "json"} and slot.numeric_default is None
    return True


def _same(one: str, other: str) -> bool:
    return plain(one) == plain(other) or (number(one) is not None and number(one) == number(other))


def _takes_code(slot: Slot, script: str) -> bool:
    """Whether a script may be a value of it: one is its default or was seen there, or nothing is known of a configuration.

    Who names the script that has the option says what to run.
    """
    if posixpath.basename(script) == posixpath.basename(slot.option.path):
        return False
    known = [text for text in (slot.option.default, *slot.seen) if text]
    return any(text.endswith((".py", ".sh")) for text in known) if known else "config" in slot.role


def _is_possible(slot: Slot, mention: Mention, seen: Evidence) -> bool:
    if mention.kind == "path" and re.search(r"\.(?:py|sh)$", mention.value) and not _takes_code(slot, mention.value):
        return False
    if (
        mention.kind == "number"
        and slot.option.type in {"str", "unknown"}
        and slot.numeric_default is None
        and seen.name < _NAMED
        and not slot.option.positional
    ):
        return False
    if mention.kind in {"path", "text"} or slot.option.positional or slot.option.required:
        return True
    if mention.kind == "name" and features.resembles(mention.value, slot):
        return True
    return seen.name + seen.help + seen.prose > _LEAST or mention.value.lower() in slot.option.help.lower()


def fill(statement: Statement, slots: Sequence[Slot], model: Scores, opinion: Opinion | None = None) -> Filled:
    """Put the values of a request into the slots of one entry point.

    Args:
        statement: the request.
        slots: of the entry point.
        model: the learned tables.
        opinion: what somebody else thinks of each placement.
    """
    weights = Weights(slots)
    taken, unknown = spelled_slots(statement, slots)
    scored = [
        (pair, value_score(pair, model) + (opinion.value(pair.mention, pair.slot) if opinion else 0.0))
        for pair in pairs(statement, slots, weights, taken)
    ]
    rows = _without_overlaps(scored, slots)
    together = _united(statement, [*taken, *_matched(rows, slots, taken)], slots)
    placed = _with_sizes(statement, _with_series(statement, together, slots), slots)
    starts = {start for one in placed for start in one.starts}
    spent = explained(statement, placed, slots)
    given = {one.slot for one in placed}
    for place, slot, said, score in switches(statement, slots, weights, spent, given, model.switch):
        score += opinion.switch(place) if opinion else 0.0
        if score > 0 and not contradicts(said):
            placed.append(Placed(place, (truth(slot, said),), score, "said in words", (), ""))
    left = tuple(
        one
        for one in statement.mentions
        if not one.parts and not one.whole and one.kind not in {"factor", "absence"} and one.start not in starts
    )
    return Filled(tuple(placed), left, tuple(unknown))


def _with_series(statement: Statement, placed: Sequence[Placed], slots: Sequence[Slot]) -> list[Placed]:
    """A slot for several values that has one of a series has the whole series."""
    found = list(placed)
    starts = {start for one in placed for start in one.starts}
    for series in (one for one in statement.mentions if one.parts):
        inside = [one for one in statement.mentions if not one.parts and series.start <= one.start < series.end]
        for at, one in enumerate(found):
            free = [part for part in inside if part.start not in starts]
            if (
                slots[one.slot].several
                and free
                and len(free) < len(inside)
                and any(part.start in one.starts for part in inside)
            ):
                spread = sorted({*one.starts, *(part.start for part in free)})
                by_start = {part.start: part for part in statement.mentions if not part.parts}
                values = tuple(
                    word for start in spread if start in by_start for word in typed(by_start[start], slots[one.slot])
                )
                found[at] = Placed(one.slot, values, one.score, one.why, tuple(spread), one.text)
                starts |= set(spread)
    return found


def _united(statement: Statement, placed: Sequence[Placed], slots: Sequence[Slot]) -> list[Placed]:
    """A series is not torn apart: what other slots for several values have of it goes back to the one that has nothing else."""
    found = list(placed)
    for series in (one for one in statement.mentions if one.parts and not one.whole):
        inside = {one.start for one in statement.mentions if not one.parts and series.start <= one.start < series.end}
        holders = [at for at, one in enumerate(found) if slots[one.slot].several and inside & set(one.starts)]
        own = [at for at in holders if inside >= set(found[at].starts)]
        if len(own) == 1 and len(holders) > 1:
            for at in holders:
                if at != own[0]:
                    found[at] = _holding(statement, found[at], slots, set(found[at].starts) - inside)
    return found


def _holding(statement: Statement, placed: Placed, slots: Sequence[Slot], starts: Set[int]) -> Placed:
    """A slot with some of its values."""
    by_start = {one.start: one for one in statement.mentions if not one.parts and one.start in starts}
    values = tuple(word for start in sorted(by_start) for word in typed(by_start[start], slots[placed.slot]))
    return msgspec.structs.replace(placed, values=values, starts=tuple(sorted(by_start)))


def _with_sizes(statement: Statement, placed: Sequence[Placed], slots: Sequence[Slot]) -> list[Placed]:
    """A slot for a size that has one side has all sides, where no other slot has another one: "3 wide and 2 high"."""
    found = list(placed)
    for size in (one for one in statement.mentions if one.whole and one.kind == "name"):
        held = [at for at, one in enumerate(found) if any(size.start <= start < size.end for start in one.starts)]
        one = found[held[0]] if len(held) == 1 else None
        if one is not None and len(one.starts) == 1 and one.text != size.text and _takes(slots[one.slot], size):
            sides = [side.start for side in statement.mentions if size.start <= side.start < size.end]
            whole = tuple(sorted(set(sides)))
            found[held[0]] = Placed(one.slot, typed(size, slots[one.slot]), one.score, one.why, whole, size.text)
    return found


def _outweigh(parts: Sequence[float], together: float, made: Mention) -> bool:
    """Whether values say more apart: those of a series all together, the sides of a size on the average, as who says "by" means one thing."""
    return (sum(parts) / len(parts) if made.whole else sum(parts)) > together


def _hold(
    parts: Sequence[tuple[int, int, str]],
    rows: Mapping[tuple[int, int, str], Sequence[tuple[Pair, float]]],
    slots: Sequence[Slot],
) -> bool:
    """Whether values have room beside each other: in different slots, or in one for several."""
    wanted = {max(rows[one], key=lambda pair: pair[1])[0].slot for one in parts}
    return len(wanted) > 1 or any(slots[one].several for one in wanted)


def _without_overlaps(
    scored: Sequence[tuple[Pair, float]], slots: Sequence[Slot]
) -> dict[tuple[int, int, str], list[tuple[Pair, float]]]:
    """By mention: its pairs; of mentions that overlap those are kept that score best together."""
    rows: dict[tuple[int, int, str], list[tuple[Pair, float]]] = {}
    for pair, score in scored:
        if score > 0:
            rows.setdefault((pair.mention.first, pair.mention.last, pair.mention.value), []).append((pair, score))
    best = {key: max(score for _, score in several) for key, several in rows.items()}
    kept: dict[tuple[int, int, str], list[tuple[Pair, float]]] = {}
    for key in sorted(rows, key=lambda one: -best[one]):
        inside = [one for one in rows if one != key and one[0] <= key[1] and key[0] <= one[1]]
        made = rows[key][0][0].mention
        parts = [one for one in inside if (made.whole or made.parts) and one[1] - one[0] < key[1] - key[0]]
        if len(parts) > 1 and _outweigh([best[one] for one in parts], best[key], made) and _hold(parts, rows, slots):
            continue
        if any(one in kept for one in inside):
            continue
        kept[key] = rows[key]
    return kept


def _matched(
    rows: Mapping[tuple[int, int, str], Sequence[tuple[Pair, float]]], slots: Sequence[Slot], taken: Sequence[Placed]
) -> list[Placed]:
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
    found: dict[int, list[tuple[Mention, float]]] = {}
    for at, column in sorted(best_matching(scores, len(columns)).items()):
        slot = columns[column][0]
        mention = next(pair.mention for pair, _ in rows[ordered[at]] if pair.slot == slot)
        found.setdefault(slot, []).append((mention, scores[at][column]))
    made = []
    for slot, several in found.items():
        several.sort(key=lambda one: one[0].start)
        values = tuple(word for mention, _ in several for word in typed(mention, slots[slot]))
        made.append(Placed(slot, values, min(score for _, score in several), "said", tuple(s for m, _ in several for s in _starts(m)), "; ".join(m.text for m, _ in several)))  # fmt: skip
    return made


def _starts(mention: Mention) -> tuple[int, ...]:
    return (mention.start,)


def typed(mention: Mention, slot: Slot) -> tuple[str, ...]:
    """The words by which a slot takes a value: its own spelling of a choice, a share for a percentage, half of the default."""
    if mention.kind == "factor" and slot.numeric_default is not None:
        value = Decimal(str(slot.numeric_default)) * Decimal(mention.value)
        return (plain_number(value.normalize()) if slot.option.type != "int" else str(int(value)),)
    if mention.kind == "absence":
        return (slot.zero or mention.value,)
    if mention.parts:
        parts = tuple(_spelled(part, slot) for part in mention.parts)
        return parts if slot.several else (",".join(parts),)
    if (
        mention.percent
        and slot.option.type != "int"
        and (slot.numeric_default is None or 0 <= slot.numeric_default <= 1)
    ):
        return (format((Decimal(mention.value) / 100).normalize(), "f"),)
    return (_spelled(mention.value, slot),)


def _spelled(value: str, slot: Slot) -> str:
    for known in slot.vocabulary:
        if known == value:
            return known
    if slot.closed or slot.vocabulary:
        for known in slot.vocabulary:
            if _same(known, value):
                return known
    listed = (word for word in _LISTED.findall(slot.option.help) if word.islower() and plain(word) == plain(value))
    return next(listed, value) if plain(value) and number(value) is None else value


def explained(statement: Statement, placed: Sequence[Placed], slots: Sequence[Slot]) -> frozenset[int]:
    """The tokens that name a slot whose value is stated near them, and those values."""
    found: set[int] = set()
    spots = {start: one for one in placed for start in one.starts}
    for place, token in enumerate(statement.tokens):
        one = spots.get(token.start)
        if one is None:
            continue
        end = token.start + len(one.text)
        named = {term for name in slots[one.slot].names for term in name}
        found.update(
            at for at, other in enumerate(statement.tokens) if token.start <= other.start < max(end, token.end)
        )
        for word in statement.content:
            if abs(statement.costs[word.place] - statement.costs[place]) < 5 and named & set(word.terms):
                found.add(word.place)
    return frozenset(found)
