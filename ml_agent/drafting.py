"""Generate and check without running: what the benchmark's one-shot form needs."""

from collections.abc import Iterator

from ml_agent.draft import Draft
from ml_agent.errors import BudgetExceededError
from ml_agent.navigator import Attempt, Evidence, Navigator, Workspace
from ml_agent.proof import examine, problem_of
from ml_agent.request import Request

TRIES = 4
"""How many unsound drafts are sent back before one is taken as it is."""


def draft_answers(navigator: Navigator, request: Request, workspace: Workspace, attempts: int = 1) -> list[Draft]:
    """Up to `attempts` distinct answers, best first; unsound ones only where nothing sound was found."""
    readmes = navigator.assess(request, workspace).readmes or ("",)
    sound: list[Draft] = []
    unsound: list[Draft] = []
    try:
        for draft in _drafts(navigator, request, workspace, readmes, attempts * TRIES):
            (sound if draft.sound else unsound).append(draft)
            if len(sound) == attempts:
                break
    except BudgetExceededError:
        if not sound and not unsound:
            raise
    return [*sound, *unsound][:attempts]


def _drafts(
    navigator: Navigator, request: Request, workspace: Workspace, readmes: tuple[str, ...], most: int
) -> Iterator[Draft]:
    tried: list[Attempt] = []
    opened: list[str] = []
    remaining = list(readmes)
    for _ in range(most):
        evidence = Evidence(readme=remaining[0], opened=tuple(opened), attempts=tuple(tried))
        step = navigator.write(request, workspace, evidence)
        if step.action == "draft" and step.draft is not None:
            draft = examine(step.draft, request, workspace)
            tried.append(Attempt(draft=draft, problem=problem_of(draft)))
            yield draft
        elif step.action == "open":
            opened.append(step.path)
        elif step.action == "reject-readme" and len(remaining) > 1:
            remaining.pop(0)
        else:
            return
