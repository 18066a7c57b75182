"""What of a model's call is taken over: only what the user said, and only where it does not undo what was placed for sure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ml_agent.draft import Draft
from ml_agent.grounded.terms import terms
from ml_agent.ledger import says
from ml_agent.llm.case import Case
from ml_agent.llm.slots import Slots
from ml_agent.proof import UNUSED
from ml_agent.request import Request
from ml_agent.values.numbers import number

Call = Mapping[str, Any]
_PIECE = re.compile(r"[A-Za-z]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def stated(call: Call, slots: Slots, request: Request) -> dict[str, Any]:
    """The values of a call that come from the user's words, with what stood in the slot before to fill the gaps.

    A small model likes to write defaults and guesses where it should leave a slot as it is; nothing is lost with them.
    """
    said = _Said(request)
    kept = {}
    for name, value in call.items():
        now = slots.now.get(name, "")
        if value is None or value == [] or _same(value, now):
            continue
        if said.covers(name, value, now):
            kept[name] = value
    return kept


def open_slots(slots: Slots, request: Request) -> list[str]:
    """The slots that hold no value of the user's yet."""
    sure = [value for value in request.values if value.required and value.kind != "switch"]
    return [
        name
        for name in slots.properties
        if name not in slots.now or not any(says(slots.now[name], one) for one in sure)
    ]


def unplaced_part(call: Call, slots: Slots) -> dict[str, Any]:
    """The part of a call whose values stand nowhere in the draft yet: one value of the user's is for one slot."""
    return {name: value for name, value in call.items() if not any(_same(value, now) for now in slots.now.values())}


def blamed(slots: Slots, problem: str) -> list[str]:
    """The slots that the words of an error point at: by name, or by what they hold."""
    words = set(re.findall(r"[\w./-]+", problem.lower())) | set(re.findall(r"\w+", problem.lower()))
    words |= {word.lstrip("-").replace("-", "_") for word in words}  # "--drop-last" is about `drop_last`
    return [
        name
        for name in slots.properties
        if name.lower() in words or (len(now := slots.now.get(name, "")) > 1 and now.lower() in words)
    ]


def worth(draft: Draft) -> tuple[float, ...]:
    """How well a draft stands after its examination; more is better: errors first, then values that have a place."""
    errors = sum(finding.severity == "error" and finding.code != UNUSED for finding in draft.findings)
    placed = [entry for entry in draft.ledger if entry.status != "not found"]
    return (-errors, sum(entry.required for entry in placed), len(placed))


class _Said:
    """The user's words, ready to be compared with values."""

    def __init__(self, request: Request) -> None:
        texts = [request.instruction, *(value.value for value in request.values)]
        self._words = {piece.lower() for text in texts for piece in _PIECE.findall(text)}
        self._terms = {term for word in self._words for term in terms(word)}
        self._numbers = {amount for word in self._words if (amount := number(word)) is not None}
        self._numbers |= {
            amount for value in request.values for part in value.value.split() if (amount := number(part)) is not None
        }

    def covers(self, name: str, value: Any, now: str) -> bool:
        """Whether a value is made of the user's words, and of what stood there before where those do not suffice."""
        if isinstance(value, bool):
            wanted = set(terms(name))
            return bool(wanted) and wanted <= self._terms
        if isinstance(value, list):
            return all(self.covers(name, item, now) for item in value)
        if isinstance(value, (int, float)):
            return number(repr(value)) in self._numbers
        pieces = [piece.lower() for piece in _PIECE.findall(str(value))]
        kept = {piece.lower() for piece in _PIECE.findall(now)}
        return any(self._has(piece) and piece not in kept for piece in pieces) and all(
            self._has(piece) or piece in kept for piece in pieces
        )

    def _has(self, piece: str) -> bool:
        return piece in self._words or ((amount := number(piece)) is not None and amount in self._numbers)


def _same(value: Any, now: str) -> bool:
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    if text == now:
        return True
    return number(text) is not None and number(text) == number(now)


def best_untried(case: Case, drafts: Sequence[Draft]) -> Draft:
    """The draft that stands best of those that were not tried; the first one where several stand alike.

    The last of `drafts` is never one that was tried.
    """
    return max((draft for draft in drafts if not case.tried(draft)), key=worth)
