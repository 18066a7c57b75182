"""ML-Agent's own navigators as respondents of form L: `bench predict` answers in this process, without a sandbox and without running anything.

A unit (a row, and how many answers are wanted) goes in; its texts come out, as they run from the task's folder.
"""

import functools
import hashlib
import posixpath
import time
from pathlib import Path

from ml_agent.assemble import budget_limits
from ml_agent.benchmarks.data import Setting, Visible, full_name
from ml_agent.benchmarks.form_l import Answered, Respondent, Unit
from ml_agent.benchmarks.official import as_published
from ml_agent.benchmarks.predictions import spent
from ml_agent.benchmarks.work import NavigatorName, Terms, program_version, settings_of
from ml_agent.choose import offline_navigator
from ml_agent.conversation.verdict import examine, next_draft, problem_of, told_in, tried_before, verdict
from ml_agent.draft import Attempt, Draft
from ml_agent.errors import BudgetExceededError, EndpointError
from ml_agent.model.budget import Budget
from ml_agent.navigator import Given, Navigator, Workspace
from ml_agent.request import Request
from ml_agent.settings import Settings, load_settings
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.versions import local_version
from ml_agent.workspaces import normal_folder


def respondent(navigator: NavigatorName, terms: Terms, setting: Setting = "agent", attempts: int = 1) -> Respondent:
    """A navigator as a respondent; the limits are those of a row with all its attempts."""
    model, source = terms.endpoint.model, hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    return Respondent(
        subject=f"ML-Agent ({model or 'no model'})",
        fingerprint=terms.config(navigator, setting, str(attempts), program_version(), source),
        setting=setting,
        carry_out=functools.partial(answer, navigator=navigator, terms=terms),
        model=model,
        attempts=attempts,
        seconds=terms.limits.seconds,
    )


def answer(unit: Unit, navigator: NavigatorName, terms: Terms) -> Answered:
    """Answer one piece of work; whatever goes wrong becomes its error."""
    began, settings, seconds = time.monotonic(), settings_of(navigator, terms), terms.limits.seconds
    budget = Budget(budget_limits(settings))
    output: tuple[str, ...] = ()
    error = infrastructure = ""
    try:
        output = tuple(answer_text(d, unit.shown.path) for d in _drafts(unit, settings, budget))
        error = "" if output else "no answer was found"
    except BudgetExceededError as problem:
        error = timeout(problem.limit) if problem.what == "seconds" else f"{type(problem).__name__}: {problem}"
    except EndpointError as problem:
        infrastructure = f"{type(problem).__name__}: {problem}"
    except Exception as problem:  # noqa: BLE001 - a defect in one row must not stop the others; it is reported as the row's error
        error = f"{type(problem).__name__}: {problem}"
    took = time.monotonic() - began
    if seconds is not None and took > seconds:
        output, error = (), timeout(seconds)
    used = spent(budget.usage, took)
    return Answered(row=unit.label, output=output, usage=used, error=error, infrastructure=infrastructure)


def timeout(seconds: float) -> str:
    """What is kept of a row that took longer than it may."""
    return f"timeout: more than {seconds:g} s"


def answer_text(draft: Draft, folder: str) -> str:
    """A draft as it runs from the task's folder, in the form that the published type rule reads right."""
    if draft.kind == "python":
        return draft.text
    text = draft.text
    if folder and posixpath.normpath(draft.workdir) != posixpath.normpath(folder):
        text = f"cd {posixpath.relpath(draft.workdir, folder)}\n{text}"
    return as_published(text)


def _drafts(unit: Unit, settings: Settings, budget: Budget) -> list[Draft]:
    navigator = _navigator() if settings.navigator == "offline" else _with_model(settings, budget)
    workspace = open_workspace(unit.root, unit.shown)
    given = Given(repository=unit.shown.github, path=unit.shown.path, prefix_code=unit.shown.prefix_code)
    request = navigator.understand(unit.shown.instruction, given)
    return draft_answers(navigator, request, workspace, unit.attempts)


def _with_model(settings: Settings, budget: Budget) -> Navigator:
    from ml_agent.conversation.configured import (
        ModelContext,
        configured_navigator,
    )  # openai takes longer to import than all else

    return configured_navigator(settings, ModelContext(budget=budget, emit=_silent))


@functools.cache
def _navigator() -> Navigator:
    """The one without a model, which serves all rows."""
    return offline_navigator()


def _silent(event: str, **fields: object) -> None:
    """Trajectories are not kept here."""


@functools.lru_cache(maxsize=4)
def _index(root: Path, version: str) -> RepoIndex:
    return RepoIndex.open(root, version, load_settings().cache_dir / "indexes")


_version = functools.lru_cache(maxsize=64)(local_version)


def open_workspace(root: Path, shown: Visible) -> Workspace:
    """The indexed repository; an index stays open in its process."""
    version = _version(root)
    candidate = Candidate(full_name=full_name(shown.github), url=shown.github, commit=version)
    folder = normal_folder(root, shown.path)
    return Workspace(index=_index(root, version), candidate=candidate, path=folder, path_given=bool(shown.path))


TRIES = 4
"""How many unsound drafts an answer may cost before one is taken as it is."""


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
