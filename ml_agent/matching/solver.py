"""From a request to ranked answers: entry points, values in slots, whole answers, confidence."""

import math
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from ml_agent.matching.answers import Answer, Given, answers
from ml_agent.matching.fill import fill
from ml_agent.matching.mentions import Statement
from ml_agent.matching.model import Model
from ml_agent.matching.retrieval import Shelf

_MOST_ENTRIES = 6


class Solved(NamedTuple):
    """The answers, best first, and how sure the first one is."""

    answers: Sequence[Answer]
    margin: float


def solve(statement: Statement, shelf: Shelf, model: Model) -> Solved:
    """Every answer that deserves a look, best first."""
    ranked = sorted(
        ((model.entry(one.vector), place, one.entry) for place, one in enumerate(shelf.ranked(statement))),
        key=lambda one: (-one[0], one[1]),
    )
    found: list[Answer] = []
    for score, _, entry in ranked[:_MOST_ENTRIES]:
        filled = fill(statement, entry.slots, model.value, model.switch, model.stake)
        for answer in answers(statement, Given(entry, score, ranked[0][0]), filled):
            found.append(msgspec.structs.replace(answer, score=model.answer(answer.vector)))
    found.sort(key=lambda one: -one.score)
    return Solved(found, margin(found))


def margin(found: Sequence[Answer]) -> float:
    """How far the first answer is ahead of those of other entry points, weak placements taken off."""
    if not found:
        return -math.inf
    first = found[0]
    rival = max((one.score for one in found[1:] if one.entry is not first.entry), default=first.score - 4.0)
    least = min((one.score for one in first.filled.placed), default=0.0)
    return (first.score - rival) + 0.5 * min(least, 3.0) - 0.5 * sum(first.vector[2:5])


def workdir_of(answer: Answer, folder: str, given: bool) -> str:
    """The folder from which the answer runs: the user's, else the one from which examples run, else the script's own with a README."""
    signature = answer.entry.signature
    if given or folder not in {"", "."}:
        return folder
    if signature.kind == "console":
        return "."
    shown = answer.shown or next(iter(answer.entry.shown), None)
    if shown is not None:
        return shown.example.workdir or "."
    own = str(PurePosixPath(signature.path).parent)
    documented = any(
        PurePosixPath(path).name.lower().startswith("readme") and str(PurePosixPath(path).parent) == own
        for path in answer.entry.facts.files
    )
    return own if documented else "."
