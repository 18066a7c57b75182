"""What goes wrong in an answer, by class."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ml_agent.benchmarks.fit.examples import same, stated
from ml_agent.benchmarks.fit.rows import Row, same_entry
from ml_agent.matching.answers import Answer
from ml_agent.matching.entries import EntryPoint
from ml_agent.matching.fill import FilledSlot, spelling_in_slot
from ml_agent.matching.slots import Slot

CLASSES = {
    "no answer": "there is none",
    "entry": "another entry point",
    "not readable": "the signature does not know every word of the reference",
    "value misread": "the request was not read so that it states the value",
    "wrong slot": "the value went to another slot",
    "slot taken": "another value went into the slot",
    "value without slot": "the value was read and went nowhere",
    "choice missed": "a choice that is said in words",
    "switch missed": "a switch that is asked for",
    "required missing": "what must be given is not given",
    "false switch": "a switch that nobody asked for",
    "false value": "a value in a slot that the reference does not give",
    "unasked, example": "kept from an example",
    "unasked, filled up": "put in where something is required",
}


class AnswerError(NamedTuple):
    """One thing that is wrong."""

    kind: str
    dest: str = ""
    wanted: Sequence[str] | None = None
    given: Sequence[str] | None = None


def wrongs(answer: Answer | None, row: Row, own: EntryPoint) -> list[AnswerError]:
    """All that is wrong in an answer.

    Args:
        answer: of the matching; None for none.
        row: with the reference.
        own: the entry point of the reference.
    """
    if answer is None:
        return [AnswerError("no answer")]
    if not same_entry(answer.entry.signature, row.signature):
        return [AnswerError("entry", answer.entry.signature.path)]
    wanted, given = stated(row.values, row.signature), stated(answer.call, row.signature)
    slots = {slot.option.dest: slot for slot in own.slots}
    placed = {answer.entry.slots[one.slot].option.dest: one for one in answer.assignment.placed}
    found = [] if row.readable else [AnswerError("not readable")]
    for dest, words in wanted.items():
        if not _alike(words, given.get(dest)):
            kind = _why_missed(row, slots.get(dest), words, dest in answer.call, placed)
            found.append(AnswerError(kind if dest not in given or kind != "value without slot" else "slot taken", dest, words, given.get(dest)))  # fmt: skip
    return [*found, *_false(answer, wanted, given, placed, slots)]


def _alike(words: Sequence[str], others: Sequence[str] | None) -> bool:
    return others is not None and len(words) == len(others) and all(map(same, words, others))


def _why_missed(
    row: Row, slot: Slot | None, words: Sequence[str], called: bool, placed: Mapping[str, FilledSlot]
) -> str:
    """Why a slot has not what it should have."""
    if slot is None:
        return "not readable"
    if slot.boolean:
        return "switch missed"
    if slot.option.required and not called:
        return "required missing"
    stating = [one for one in row.statement.mentions if _states(spelling_in_slot(one, slot), words)]
    starts = {start for dest, one in placed.items() if dest != slot.option.dest for start in one.starts}
    if any(one.start in starts for one in stating):
        return "wrong slot"
    if stating:
        return "value without slot"
    chosen = slot.closed or (slot.vocabulary and not all(word in row.statement.text for word in words))
    return "choice missed" if chosen else "value misread"


def _states(said: Sequence[str], words: Sequence[str]) -> bool:
    if _alike(said, words):
        return True
    return (
        len(words) > 1 and len(said) == 1 and (same(said[0], ",".join(words)) or any(same(said[0], w) for w in words))
    )


def _false(
    answer: Answer,
    wanted: Mapping[str, Sequence[str]],
    given: Mapping[str, Sequence[str]],
    placed: Mapping[str, FilledSlot],
    slots: Mapping[str, Slot],
) -> Iterator[AnswerError]:
    """What is given that nobody asked for."""
    for dest, words in given.items():
        if dest in wanted:
            continue
        slot = slots.get(dest)
        if dest in placed:
            yield AnswerError("false switch" if slot is not None and slot.boolean else "false value", dest, None, words)
        else:
            shown = answer.shown is not None and dest in answer.shown.values
            yield AnswerError("unasked, example" if shown else "unasked, filled up", dest, None, words)
