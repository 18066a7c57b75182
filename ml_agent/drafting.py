"""Write, check, mend: the one loop behind a run, its resumption and a benchmark's one-shot answers."""

from collections.abc import Sequence

from ml_agent.draft import Draft, stands_by
from ml_agent.errors import BudgetExceededError
from ml_agent.navigator import Attempt, Navigator, Problem, Workspace
from ml_agent.proof import examine, problem_of
from ml_agent.request import Request

TRIES = 4
"""How many unsound drafts an answer may cost before one is taken as it is."""


def next_draft(navigator: Navigator, request: Request, workspace: Workspace, tried: Sequence[Attempt]) -> Draft | None:
    """A draft that was not tried: the last one mended where something speaks against it, else the navigator's next.

    The last one again where its author stands by it. None where nothing is left.
    """
    texts = {attempt.draft.text.strip() for attempt in tried}
    last = tried[-1] if tried else None
    if last is not None and (last.problem or last.error_lines):
        problem = Problem(text=last.problem, error_lines=last.error_lines)
        mended = navigator.revise(request, workspace, last.draft, problem)
        if mended is not None and (mended.text.strip() not in texts or stands_by(mended, last.draft)):
            return mended
    return next((draft for draft in navigator.drafts(request, workspace) if draft.text.strip() not in texts), None)


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
            if tried and stands_by(draft, tried[-1].draft):
                taken = [draft if one.text == draft.text else one for one in taken]
                tried.append(Attempt(draft=draft))
                continue
            tried.append(Attempt(draft=draft, problem=problem_of(draft)))
            if draft.sound or draft.disputes:
                taken.append(draft)
    except BudgetExceededError:
        if not tried:
            raise
    others = [attempt.draft for attempt in tried if attempt.draft not in taken]
    return [*taken, *others][:attempts]
