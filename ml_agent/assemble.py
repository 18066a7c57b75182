"""Pick the parts of one run; library code never picks."""

from ml_agent.choose import (
    RunContext,
    make_executor,
    make_navigator,
    make_repositories,
    make_source,
    make_tape,
    model_is_there,
)
from ml_agent.finder import listed, named
from ml_agent.model.budget import Budget, Limits
from ml_agent.request import Job
from ml_agent.runs import RunFolder
from ml_agent.services import Observer, Services
from ml_agent.settings import Settings
from ml_agent.tools.candidates import Candidate
from ml_agent.trajectory import Trajectory
from ml_agent.workspaces import Workspaces


def assemble(job: Job, settings: Settings, folder: RunFolder, observer: Observer) -> Services:
    """The services of one run, which the observer watches. Raises ConfigurationError where a part that was asked for cannot be had."""
    secrets = (settings.api_key.get_secret_value(), settings.github_token.get_secret_value())
    around = RunContext(settings, folder, Trajectory(folder.trajectory, secrets), make_tape(job, folder), observer)
    budget = Budget(budget_limits(settings))
    observer.watch(lambda: budget.usage)
    with_model = model_is_there(around)
    executor, why_not = make_executor(job, around, budget)
    return Services(
        settings=settings,
        navigator=make_navigator(around, budget, with_model, executor),
        source=make_source(job, around, budget),
        named=_named(job, settings) if job.repository else None,
        workspaces=Workspaces(make_repositories(around, budget), settings.cache_dir / "indexes", settings.github_web),
        executor=executor,
        budget=budget,
        trajectory=around.trajectory,
        no_executor=why_not,
        shows_inputs=job.show_inputs,
        observer=observer,
    )


def _named(job: Job, settings: Settings) -> Candidate:
    if job.catalog:
        return listed(job.repository, job.commit, settings, job.catalog)
    return named(job.repository, job.commit)


def budget_limits(settings: Settings) -> Limits:
    """The limits that the settings state."""
    return Limits(
        tokens=settings.max_tokens,
        usd=settings.max_cost,
        calls=settings.max_calls,
        seconds=settings.max_seconds,
        repositories=settings.max_repositories,
    )
