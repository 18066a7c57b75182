"""Which of two commands goes first: the matched one, or the one adapted from an example."""

from collections.abc import Collection

from ml_agent.draft import Draft
from ml_agent.grounded.commands import Matched, statement_of
from ml_agent.grounded.outlook import signature_of
from ml_agent.matching.confidence import unplaced
from ml_agent.navigator import Workspace
from ml_agent.request import Request


def is_better(matched: Matched, adapted: Draft, request: Request, workspace: Workspace) -> bool:
    """Whether a matched command goes before an adapted example: it leaves no more of the request without a place.

    Stated values count first, then words. What an example says around its command has no part in it, for the user did not ask
    for all of that. Who spells options has said what goes where, so they are had as they were matched.

    Args:
        matched: the command, with its account.
        adapted: the first command made from an example, with its account.
        request: what the user wants.
        workspace: where they run.
    """
    statement = statement_of(request)
    if any(one.name.startswith("-") for one in statement.spelled):
        return True
    lacking, other = unused(matched.draft, matched.placed), unused(adapted)
    if lacking != other:
        return lacking < other
    words = [len(unplaced(statement, one.text, signature_of(one, workspace))) for one in (matched.draft, adapted)]
    return words[0] <= words[1]


def unused(draft: Draft, placed: Collection[str] = ()) -> int:
    """How many stated values a draft has no place for, by its account; what was placed for its meaning has one."""
    return sum(entry.required and entry.status == "not found" and entry.value not in placed for entry in draft.ledger)
