"""From a request to ranked answers: entry points, values in slots, whole answers, confidence."""

from collections.abc import Sequence
from pathlib import PurePosixPath

import msgspec

from ml_agent.matching.answers import Answer, ScoredEntry, answers
from ml_agent.matching.entries import EntryPoint
from ml_agent.matching.fill import Callee, SlotAssignment, fill
from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.model import Model
from ml_agent.matching.retrieval import EntryIndex
from ml_agent.matching.terms import alphanumeric

_MOST_ENTRIES, _FEWEST_ENTRIES = 6, 2
_FAR = 6.0
"""How far behind the first, as log-odds, an entry point is not looked at: less than one of four hundred is meant."""


def solve(statement: ParsedRequest, entry_index: EntryIndex, model: Model) -> list[Answer]:
    """Every answer that deserves a look, best first."""
    scored = ((model.entry(one.vector), one.entry) for one in entry_index.ranked(statement))
    return answers_of_entries(statement, sorted(scored, key=lambda one: -one[0]), model, entry_index.folder)


def answers_of_entries(
    statement: ParsedRequest, ranked: Sequence[tuple[float, EntryPoint]], model: Model, folder: str = "."
) -> list[Answer]:
    """The answers with the first entry points, best first.

    Args:
        statement: the request.
        ranked: entry points with their scores, the best first.
        model: learned tables.
        folder: from where they are called.
    """
    found: list[Answer] = []
    for place, (score, entry) in enumerate(ranked[:_MOST_ENTRIES]):
        if place >= _FEWEST_ENTRIES and score < ranked[0][0] - _FAR:
            break
        assignment = fill(statement, entry.slots_for(statement), model, callee=callee_of(entry, folder))
        found += scored_answers(statement, ScoredEntry(entry, score, ranked[0][0]), assignment, model)
    found.sort(key=lambda one: -one.score)
    return found


def callee_of(entry: EntryPoint, folder: str = ".") -> Callee:
    """What filling must know of an entry point beside its slots."""
    signature = entry.signature
    path = PurePosixPath(signature.path)
    parts = path.with_suffix("").parts
    tails = {".".join(parts[place:]) for place in range(len(parts))}  # as a module is called, from each folder
    tails |= {one.removesuffix(".__main__") for one in tails}
    names = {signature.path, path.name, *tails, signature.name, entry.repository}
    flexible = signature.kind != "make" and signature.syntax != "overrides" and not signature.whole
    described = frozenset(word for word in map(alphanumeric, signature.doc.split()) if len(word) > 2)
    return Callee(
        frozenset(alphanumeric(name) for name in names if name), (str(path.parent), folder), described, flexible
    )


def scored_answers(
    statement: ParsedRequest, given: ScoredEntry, assignment: SlotAssignment, model: Model
) -> list[Answer]:
    """The answers with one entry point whose slots are filled, best first.

    Args:
        statement: the request.
        given: the entry point.
        assignment: with the request's values.
        model: learned tables.
    """
    found = [
        msgspec.structs.replace(one, score=model.answer(one.vector)) for one in answers(statement, given, assignment)
    ]
    return sorted(found, key=lambda one: -one.score)


_ALONE = 4.0


def margin(answer: Answer, found: Sequence[Answer]) -> float:
    """How far an answer is ahead of those of other entry points, or behind."""
    best_other = max((one.score for one in found if one.entry is not answer.entry), default=answer.score - _ALONE)
    return answer.score - best_other


def weakest_placement(answer: Answer) -> float:
    """Its weakest placement of a value, as log-odds."""
    return min((one.score for one in answer.assignment.placed), default=0.0)


_DOUBTFUL = 2.0
"""Log-odds: of such counts of values this one tells right answers from wrong ones best, on repositories that were looked at and others."""


def doubtful_count(answer: Answer) -> int:
    """How many of its values may as well belong elsewhere."""
    return sum(one.score < _DOUBTFUL for one in answer.assignment.placed if one.starts)


def workdir_of(answer: Answer, folder: str, given: bool) -> str:
    """The folder from which the answer runs: the user's, else the one from which examples run, else the script's own with a README."""
    signature = answer.entry.signature
    if given or folder not in {"", "."}:
        return folder
    if signature.kind == "console":
        return "."
    shown = answer.shown or next(iter(answer.entry.example_calls), None)
    if shown is not None:
        return shown.example.workdir or "."
    own = str(PurePosixPath(signature.path).parent)
    documented = any(
        PurePosixPath(path).name.lower().startswith("readme") and str(PurePosixPath(path).parent) == own
        for path in answer.entry.facts.files
    )
    return own if documented else "."
