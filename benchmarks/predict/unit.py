"""One piece of work: one row, one or all of its attempts."""

import functools
import posixpath
import time
from pathlib import Path

import msgspec

from ml_agent.assemble import budget_limits
from ml_agent.benchmarks.data import Key, Visible, full_name
from ml_agent.benchmarks.official import as_published
from ml_agent.benchmarks.predict.config import Config
from ml_agent.benchmarks.predict.rows import Result
from ml_agent.benchmarks.predictions import Usage
from ml_agent.choose import offline_navigator
from ml_agent.draft import Draft
from ml_agent.drafting import draft_answers
from ml_agent.errors import AgentError, BudgetExceededError
from ml_agent.model.budget import Budget
from ml_agent.navigator import Given, Navigator, Workspace
from ml_agent.settings import load_settings
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.errors import ToolError
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.versions import local_version
from ml_agent.workspaces import normal_folder


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is given; nothing that only scorers may see is in it."""

    key: Key
    shown: Visible
    root: Path
    """The repository's folder."""
    attempt: int = 0
    attempts: int = 1

    @property
    def label(self) -> str:
        """Its name for people and for schedulers."""
        return f"{self.key}-{self.attempt}"


def answer(unit: Unit, config: Config) -> Result:
    """Answer one piece of work; whatever goes wrong becomes its error."""
    began = time.monotonic()
    settings = config.settings()
    budget = Budget(budget_limits(settings))
    output: tuple[str, ...] = ()
    error = ""
    try:
        if config.navigator == "raw":
            from ml_agent.benchmarks.predict import raw  # openai takes longer to import than all else

            text, error = raw.ask(config, budget, raw.prompt(unit.shown, unit.root, config), unit.attempt)
            output = (text,)
        else:
            output = tuple(answer_text(d, unit.shown.path) for d in _drafts(unit, config, budget))
            error = "" if output else "no answer was found"
    except BudgetExceededError as problem:
        error = timeout(problem.limit) if problem.what == "seconds" else f"{type(problem).__name__}: {problem}"
    except (AgentError, ToolError) as problem:
        error = f"{type(problem).__name__}: {problem}"
    except Exception as problem:  # noqa: BLE001 - a defect in one row must not stop the others; it is reported as the row's error
        error = f"defect: {type(problem).__name__}: {problem}"
    took = time.monotonic() - began
    if config.max_seconds is not None and took > config.max_seconds:
        output, error = (), timeout(config.max_seconds)
    usage = _usage(budget, took)
    return Result(github_id=unit.key[0], id=unit.key[1], attempt=unit.attempt, output=output, usage=usage, error=error)


def timeout(seconds: float) -> str:
    """What is kept of a row that took longer than it may."""
    return f"timeout: more than {seconds:g} s"


def lost(unit: Unit, reason: str) -> Result:
    """The result of a piece of work whose worker died."""
    return Result(github_id=unit.key[0], id=unit.key[1], attempt=unit.attempt, error=reason)


def answer_text(draft: Draft, folder: str) -> str:
    """A draft as it runs from the task's folder, in the form that the published type rule reads right."""
    if draft.kind == "python":
        return draft.text
    text = draft.text
    if folder and posixpath.normpath(draft.workdir) != posixpath.normpath(folder):
        text = f"cd {posixpath.relpath(draft.workdir, folder)}\n{text}"
    return as_published(text)


def _drafts(unit: Unit, config: Config, budget: Budget) -> list[Draft]:
    navigator = navigator_for(config, budget)
    workspace = open_workspace(unit.root, unit.shown)
    given = Given(repository=unit.shown.github, path=unit.shown.path, prefix_code=unit.shown.prefix_code)
    request = navigator.understand(unit.shown.instruction, given)
    return draft_answers(navigator, request, workspace, unit.attempts)


def navigator_for(config: Config, budget: Budget) -> Navigator:
    """The navigator of a configuration: the one without a model serves all rows, a model is asked within the row's budget."""
    if config.navigator == "offline":
        return _navigator()
    from ml_agent.conversation.configured import ModelContext, configured_navigator  # as above

    return configured_navigator(config.settings(), ModelContext(budget=budget, emit=silent))


@functools.cache
def _navigator() -> Navigator:
    return offline_navigator()


def silent(event: str, **fields: object) -> None:
    """Trajectories are not kept here."""


@functools.lru_cache(maxsize=4)
def _index(root: Path, version: str) -> RepoIndex:
    return RepoIndex.open(root, version, load_settings().cache_dir / "indexes")


@functools.lru_cache(maxsize=64)
def _version(root: Path) -> str:
    return local_version(root)


def open_workspace(root: Path, shown: Visible) -> Workspace:
    """The indexed repository; an index stays open in its process."""
    version = _version(root)
    candidate = Candidate(full_name=full_name(shown.github), url=shown.github, commit=version)
    folder = normal_folder(root, shown.path)
    return Workspace(index=_index(root, version), candidate=candidate, path=folder, path_given=bool(shown.path))


def _usage(budget: Budget, seconds: float) -> Usage:
    spent = budget.usage
    return Usage(
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        calls=spent.calls,
        seconds=round(seconds, 3),
        usd=round(spent.usd, 6),
    )
