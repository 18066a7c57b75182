"""Training examples from rows: values in slots, switches, entry points, whole answers, each with what is right."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ml_agent.benchmarks.fit.learn import Group
from ml_agent.benchmarks.fit.rows import Row, same_entry
from ml_agent.matching.answers import Answer
from ml_agent.matching.fill import FilledSlot, spelled_slots, spelling_in_slot, used_tokens, value_slot_pairs
from ml_agent.matching.launch import PORT, PROCESSES
from ml_agent.matching.scores import ValueSlotPair
from ml_agent.matching.slots import Slot, TermWeights
from ml_agent.matching.switches import switch_value, switches
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.values.numbers import number

KINDS = ("number", "path", "name", "text", "factor", "word", "absence")
OTHER_WEIGHT = 0.3
"""What a row counts whose reference may leave out what was asked, or give what was not."""
_PROCESS_COUNT = re.compile(
    r"(?:nproc[_-]per[_-]node|num[_-]processes|num[_-]gpus|(?:mpiexec|mpirun|horovodrun)\s+-np?)[\s=]+(?P<count>\d+)"
)
_PORT_NUMBER = re.compile(r"master[_-]port[\s=]+(?P<count>\d+)")


class SwitchExample(NamedTuple):
    """A switch, and whether it is wanted."""

    vector: list[float]
    right: int
    repository: str


def same(one: object, other: object) -> bool:
    """Whether two words mean the same value."""
    a, b = str(one), str(other)
    if number(a) is not None and number(b) is not None:
        return number(a) == number(b)
    return a.lower().rstrip("/").removeprefix("./") == b.lower().rstrip("/").removeprefix("./")


def listed(value: object) -> list[str]:
    """The words of a parsed value."""
    return [str(one) for one in (value if isinstance(value, list) else [value])]


def slot_examples(row: Row, slots: Sequence[Slot]) -> tuple[list[Group], list[SwitchExample]]:
    """One group for each stated value, and every switch that the request comes near to, of the row's own entry point."""
    taken, _ = spelled_slots(row.statement, slots)
    weights = TermWeights(slots)
    found = value_slot_pairs(row.statement, slots, weights, taken)
    values = row.values | launcher_values(row.data["output"])
    right, fitting = _right(found, slots, values)
    made = [
        Group([found[at].vector for at in several], [int(at in right) for at in several], KINDS.index(found[several[0]].mention.kind), OTHER_WEIGHT if row.group == "other" else 1.0, row.repository)
        for several in by_value(found, right, {*fitting, *_hopeless(found, right, slots, values)})
    ]  # fmt: skip
    placed = [*taken, *placed_right(found, right)]
    return made, list(_switch_examples(row, slots, weights, placed))


def launcher_values(text: str) -> dict[str, str]:
    """By dest: what a command says to a launcher."""
    patterns = ((PROCESSES, _PROCESS_COUNT), (PORT, _PORT_NUMBER))
    found = {option.dest: pattern.search(text) for option, pattern in patterns}
    return {dest: match["count"] for dest, match in found.items() if match}


def _hopeless(
    found: Sequence[ValueSlotPair], right: Collection[int], slots: Sequence[Slot], values: Mapping[str, Any]
) -> set[int]:
    """The pairs of values that go nowhere with slots that are given what no value says: whatever stands there is wrong."""
    reached = {found[at].slot for at in right}
    placed = {(found[at].mention.first, found[at].mention.last) for at in right}
    return {
        at
        for at, pair in enumerate(found)
        if slots[pair.slot].option.dest in values
        and pair.slot not in reached
        and pair.mention.kind == "word"
        and (pair.mention.first, pair.mention.last) not in placed
    }


def by_value(found: Sequence[ValueSlotPair], right: Collection[int], fitting: Collection[int]) -> Iterator[list[int]]:
    """By value the places of its pairs: the right ones, and the wrong ones that do not fit as well."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, pair in enumerate(found):
        if place in right or place not in fitting:
            groups[pair.mention.first, pair.mention.last].append(place)
    yield from groups.values()


def placed_right(found: Sequence[ValueSlotPair], right: Iterable[int]) -> Iterator[FilledSlot]:
    """The right pairs, as what stands in the slots."""
    for at in right:
        mention = found[at].mention
        yield FilledSlot(found[at].slot, (mention.value,), 1.0, "", (mention.start,), mention.text)


def _right(
    found: Sequence[ValueSlotPair], slots: Sequence[Slot], values: Mapping[str, Any]
) -> tuple[set[int], set[int]]:
    """The pairs that the reference has, each value once; and all that it might have."""
    fitting = {
        place
        for place, pair in enumerate(found)
        if slots[pair.slot].option.dest in values and _fits(pair, slots[pair.slot], values)
    }
    order = sorted(
        fitting,
        key=lambda at: (
            -(found[at].vector[0] + 0.5 * found[at].vector[8] + 3 * found[at].vector[28] + 2 * found[at].vector[30])
        ),
    )
    right: set[int] = set()
    spans: list[tuple[int, int]] = []
    count: dict[int, int] = defaultdict(int)
    for at in order:
        pair = found[at]
        first, last = pair.mention.first, pair.mention.last
        if any(a <= last and first <= b for a, b in spans) or count[pair.slot] >= len(
            listed(values[slots[pair.slot].option.dest])
        ):
            continue
        spans.append((first, last))
        count[pair.slot] += len(pair.mention.parts) or 1
        right.add(at)
    return right, fitting


def _fits(pair: ValueSlotPair, slot: Slot, values: Mapping[str, Any]) -> bool:
    words, wanted = spelling_in_slot(pair.mention, slot), listed(values[slot.option.dest])
    if len(words) == len(wanted) and all(same(a, b) for a, b in zip(words, wanted, strict=True)):
        return True
    if len(words) != 1:
        return False
    return (slot.several and any(same(words[0], one) for one in wanted)) or (
        len(wanted) > 1 and same(words[0], ",".join(wanted))
    )


def _switch_examples(
    row: Row, slots: Sequence[Slot], weights: TermWeights, placed: Sequence[FilledSlot]
) -> Iterator[SwitchExample]:
    spent = used_tokens(row.statement, placed, slots)
    for _, slot, said, _ in switches(row.statement, slots, weights, spent, {one.slot for one in placed}, lambda _: 0.0):
        option = slot.option
        if option.dest not in row.values:
            yield SwitchExample(said.vector, 0, row.repository)
            continue
        value = _as_truth(row.values[option.dest])
        if _as_truth(option.default or "") == value:
            continue
        wanted = (
            _as_truth(switch_value(slot, said)) if value in {"true", "false"} else (option.switch_value or "").lower()
        )
        stores_other = option.switch and value in {"true", "false"} and (option.switch_value or value).lower() != value
        yield SwitchExample(said.vector, int(wanted == value and not stores_other), row.repository)


def _as_truth(value: object) -> str:
    text = str(value).lower()
    return {"1": "true", "0": "false"}.get(text, text)


class Verdict(NamedTuple):
    """How an answer stands to the reference."""

    exact: bool
    entry: bool
    shared: float
    """Twice the options given alike, against all that both give; -1 for another entry point."""


def judge(answer: Answer, row: Row) -> Verdict:
    """Compare the call of an answer with that of the reference, defaults left out."""
    if not same_entry(answer.entry.signature, row.signature):
        return Verdict(False, False, -1.0)
    wanted, given = stated(row.values, row.signature), stated(answer.call, row.signature)
    hits = sum(dest in given and _alike(value, given[dest]) for dest, value in wanted.items())
    size = len(wanted) + len(given)
    return Verdict(hits == len(wanted) == len(given) and row.readable, True, 2 * hits / size if size else 1.0)


def _alike(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))


def stated(values: Mapping[str, Any], signature: Signature) -> dict[str, list[str]]:
    by_dest: dict[str, Option] = {option.dest: option for option in signature.options}
    return {dest: words for dest, value in values.items() if not _is_default(by_dest.get(dest), words := listed(value))}


def _is_default(option: Option | None, words: Sequence[str]) -> bool:
    if option is None:
        return False
    if option.default is not None and len(words) == 1 and same(option.default, words[0]):
        return True
    return option.switch and words == ["False"] and option.switch_value != "False" and option.default != "True"
