"""Two documented commands in a row, where one alone cannot honour all that the user asks for: the first writes what the second reads."""

from collections.abc import Iterator, Sequence

import msgspec

from ml_agent.grounded.affinity import names
from ml_agent.grounded.candidates import Candidate, share
from ml_agent.grounded.ledger import best_entry, relevant_entries
from ml_agent.matching.terms import canonical, terms
from tools.commandline.parse import parse_one

_MOST = 6
_LONGER = 0.1
"""What two commands cost against one."""


def chained(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Pairs of the best commands of one document that together honour more values than each alone."""
    best = sorted(
        (one for one in candidates if one.plan is not None and not one.plan.bare), key=lambda one: -one.score
    )[:_MOST]
    for one in best:
        for other in best:
            if one is not other and one.choice.path != other.choice.path and _feeds(one, other) and _gains(one, other):
                yield _join_candidates(one, other)


def _feeds(first: Candidate, second: Candidate) -> bool:
    """Whether a file that the first command writes is read by the second, and both stand in one document."""
    if (
        first.choice.example is None
        or second.choice.example is None
        or first.choice.example.path != second.choice.example.path
    ):
        return False
    return bool(_files(first, "output") & _files(second, "input"))


def _files(candidate: Candidate, role: str) -> set[str]:
    call = parse_one(candidate.draft.text, candidate.plan.signature) if candidate.plan is not None else None
    wanted = canonical(role)
    return {
        word
        for part in (call.arguments if call else ())
        if part.option is not None and any(wanted in terms(name) for name in names(part.option))
        for word in part.values
        if len(word) > 1
    }


def _gains(first: Candidate, second: Candidate) -> bool:
    """Whether each honours a value that the other does not."""
    return bool(_honoured_values(first) - _honoured_values(second)) and bool(
        _honoured_values(second) - _honoured_values(first)
    )


def _honoured_values(candidate: Candidate) -> set[tuple[str, str]]:
    return {(entry.text, entry.value) for entry in candidate.ledger if entry.required and entry.status != "not found"}


def _join_candidates(first: Candidate, second: Candidate) -> Candidate:
    pairs = zip(first.ledger, second.ledger, strict=True)
    ledger = tuple(best_entry(pair) for pair in pairs)
    alone = max(share(first.ledger), share(second.ledger))
    draft = msgspec.structs.replace(
        first.draft,
        text=f"{first.draft.text} && {second.draft.text}",
        ledger=relevant_entries(ledger),
        because=f"{first.draft.because}, then {second.draft.because}",
    )
    score = max(first.score, second.score) + 1.5 * (share(ledger) - alone) - _LONGER
    return Candidate(
        draft=draft, score=score, choice=first.choice, ledger=ledger, matches=(*first.matches, *second.matches)
    )
