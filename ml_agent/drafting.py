"""Write, check, mend: the one loop behind a run, its resumption and a benchmark's one-shot answers."""

from collections.abc import Sequence

from ml_agent.conversation.verdict import examine, problem_of, told_in, tried_before, verdict
from ml_agent.draft import Attempt, Draft
from ml_agent.errors import BudgetExceededError
from ml_agent.navigator import Navigator, Workspace
from ml_agent.request import Request

TRIES = 4
"""How many unsound drafts an answer may cost before one is taken as it is."""


def next_draft(navigator: Navigator, request: Request, workspace: Workspace, tried: Sequence[Attempt]) -> Draft | None:
    """A draft that was not tried: the last one mended where something speaks against it, else the navigator's next.

    The last one again where its author disputes what was said of it. None where nothing is left.
    """
    last = tried[-1] if tried else None
    if last is not None and (last.problem or last.error_lines):
        mended = navigator.revise(request, workspace, last)
        if mended is not None and (tried_before(mended, tried) is None or verdict(mended, tried) == "disputed"):
            return mended
    return next((draft for draft in navigator.drafts(request, workspace) if tried_before(draft, tried) is None), None)


def draft_answers(navigator: Navigator, request: Request, workspace: Workspace, attempts: int = 1) -> list[Draft]:
    """Up to `attempts` distinct answers without running them, best first.

    Unsound ones only where nothing sound was found, but for those whose author disputes what the check says.
    """
    tried: list[Attempt] = []
    taken: list[Draft] = []
    try:
        while len(tried) < attempts * TRIES and len(taken) < attempts:
            draft = next_draft(navigator, request, workspace, tried)
            if draft is None:
                break
            draft = examine(draft, request, workspace)
            decision = verdict(draft, tried, told_in(draft))
            if tried_before(draft, tried) is not None:
                taken = [draft if one.text == draft.text else one for one in taken]
                tried.append(Attempt(draft=draft))
                continue
            tried.append(Attempt(draft=draft, problem=problem_of(draft)))
            if decision != "refused":
                taken.append(draft)
    except BudgetExceededError:
        if not tried:
            raise
    others = [attempt.draft for attempt in tried if attempt.draft not in taken]
    return [*taken, *others][:attempts]
