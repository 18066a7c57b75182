"""Makes each part of a run as the settings and the job want it: navigator, source, repositories, executor; on tape where one is recorded.

`assemble.py` puts them together. What takes long to import is imported here only where it is used.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ml_agent.errors import ConfigurationError, ProviderError
from ml_agent.execution import Executor
from ml_agent.finder import TapeSource, source_for
from ml_agent.inputs import control_folders, outside_inputs
from ml_agent.model.budget import Budget
from ml_agent.navigator import Navigator
from ml_agent.replay.repositories import Repositories, TapeRepositories
from ml_agent.replay.tape import Tape
from ml_agent.replay.transport import on_tape
from ml_agent.request import Job
from ml_agent.runs import RunFolder
from ml_agent.sandbox.contract import Limits, Policy, Sandbox
from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.unpack import MAX_BYTES
from ml_agent.services import Observer
from ml_agent.settings import NAVIGATORS, SANDBOXES, Settings
from ml_agent.tools import plugins
from ml_agent.tools.candidates import Source
from ml_agent.trajectory import Trajectory, read_trajectory
from ml_agent.wall_time import within_wall_time
from ml_agent.workspaces import repository_cache

_TOLD = 6
"""Of what a program may read, named in the line that says so."""
NO_KEY = (
    "no key for the model: set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint; without either, {} cannot be used "
    "(--navigator offline needs no model)"
)
NO_MODEL = "--navigator llm needs a model: give --model NAME and set OPENAI_API_KEY or OPENAI_BASE_URL"


@dataclass(frozen=True)
class RunContext:
    """What every part of a run is made with."""

    settings: Settings
    folder: RunFolder
    trajectory: Trajectory
    tape: Tape | None
    """Records, or plays back, all that comes from outside."""
    observer: Observer


def make_tape(job: Job, folder: RunFolder) -> Tape | None:
    """The recording that the user asked for. Raises ConfigurationError where it cannot be read or written."""
    if job.record and job.replay:
        raise ConfigurationError("--record and --replay cannot be combined")
    if job.replay:
        return Tape(Path(job.replay), "replay", (folder.id, str(folder.path)))
    return Tape(Path(job.record), "record", (folder.id, str(folder.path))) if job.record else None


def model_is_there(around: RunContext) -> bool:
    """Whether decisions go to a model; asks its endpoint, within seconds.

    Raises ConfigurationError or ProviderError where a model was asked for and cannot be had, unless the settings name a fallback.
    """
    settings = around.settings
    if not settings.thinks_with_model:
        return False
    try:
        if not settings.model:
            raise ConfigurationError(NO_MODEL)
        if not settings.has_endpoint:
            raise ConfigurationError(NO_KEY.format(settings.model))
        if around.tape is None or not around.tape.replaying:
            from ml_agent.conversation.configured import check_price, endpoint_of
            from ml_agent.model.endpoint import ask_endpoint

            check_price(settings)
            ask_endpoint(endpoint_of(settings))
    except (ConfigurationError, ProviderError) as error:
        if settings.fallback != "offline":
            raise type(error)(f"{error}; --fallback offline goes on without a model") from error
        around.trajectory.emit("stand-in", phase="run", reason=str(error))
        return False
    return True


def make_navigator(around: RunContext, budget: Budget, with_model: bool, executor: Executor | None = None) -> Navigator:
    """The navigator of a run. Raises ConfigurationError where its model's settings are off."""
    settings = around.settings
    if plugins.is_added(plugins.NAVIGATORS, settings.navigator, NAVIGATORS):
        added: Navigator = plugins.load(plugins.NAVIGATORS, settings.navigator)(settings, offline_navigator())
        return added
    if not with_model:
        return offline_navigator()
    from ml_agent.conversation.configured import ModelContext, configured_navigator  # openai takes half a second
    from ml_agent.model.memory import EarlierReplies

    surroundings = ModelContext(budget=budget, emit=around.trajectory.emit, tape=around.tape, environment=executor)
    surroundings.stand_in = offline_navigator if settings.fallback == "offline" else None
    surroundings.earlier = EarlierReplies(read_trajectory(around.folder.trajectory))
    surroundings.check_cancelled = partial(around.observer.on_output, "")
    return configured_navigator(settings, surroundings)


def offline_navigator() -> Navigator:
    """The navigator that needs no model; nothing of its room is imported where a model thinks."""
    from ml_agent.offline.navigator import OfflineNavigator

    return OfflineNavigator()


def make_repositories(around: RunContext, budget: Budget) -> Repositories:
    """What brings repositories here, within the wall time."""
    cache = repository_cache(around.settings)
    cache.time_for = budget.time_for
    if around.tape is None:
        return cache
    settings = around.settings
    most = max(MAX_BYTES, settings.clone_bytes)
    return TapeRepositories(around.tape, cache, settings.cache_dir / "replayed", most)


def make_source(job: Job, around: RunContext, budget: Budget) -> Source | None:
    """Where candidates are searched for, within the wall time; None where the user named the repository."""
    if job.repository:
        return None
    source = source_for(around.settings, job.catalog, budget.time_for)
    return TapeSource(around.tape, source) if around.tape and not job.catalog else source


def make_executor(job: Job, around: RunContext, budget: Budget) -> tuple[Executor | None, str]:
    """The executor, or None with the reason why nothing will be run.

    Raises ConfigurationError where a sandbox that was asked for by name cannot be had.
    """
    if around.settings.run == "none":
        return None, "--run none"
    try:
        sandbox = _sandbox(job, around)
    except SandboxUnavailableError as error:
        if around.settings.sandbox == "auto":
            return None, str(error)
        raise ConfigurationError(f"{error}; --sandbox none only checks the answer") from error
    limited = within_wall_time(sandbox, budget) if sandbox is not None else None
    executor = Executor(
        _tape_sandbox(sandbox, around),
        around.settings,
        around.folder,
        around.trajectory.emit,
        around.observer.on_output,
    )
    if limited is not sandbox:
        executor.limited = _tape_sandbox(limited, around)
    return executor, ""


def _tape_sandbox(sandbox: Sandbox | None, around: RunContext) -> Sandbox:
    """The sandbox, below the recording where there is one: what a limit cut short is recorded as it was."""
    if around.tape is not None:
        return on_tape(around.tape, sandbox, around.folder.logs)
    assert sandbox is not None
    return sandbox


def _sandbox(job: Job, around: RunContext) -> Sandbox | None:
    """A real sandbox, after what dead runs left was removed; none is needed to play a recording back."""
    if around.tape is not None and around.tape.replaying:
        return None
    from ml_agent.sandbox.choose import choose  # docker takes a tenth of a second
    from ml_agent.sandbox.cleanup import reap

    settings = around.settings
    limits = Limits(memory_bytes=int(settings.memory_gb * 1024**3))
    words = [value for _, value in job.arguments]
    shown = outside_inputs(job.instruction, words, [settings.cache_dir]) if job.show_inputs else ()
    if shown:
        more = f" and {len(shown) - _TOLD} more" if len(shown) > _TOLD else ""
        line = f"the program may read {', '.join(map(str, shown[:_TOLD]))}{more}"
        around.trajectory.emit("setup", line=line)
    policy = Policy(
        network=settings.network,
        limits=limits,
        gpus=settings.gpus,
        run_id=around.folder.id,
        shown=shown,
        covered=control_folders(shown),
    )
    if plugins.is_added(plugins.SANDBOXES, settings.sandbox, SANDBOXES):
        added: Sandbox = plugins.load(plugins.SANDBOXES, settings.sandbox)(policy, around.folder.logs)
        return added
    sandbox = choose(settings.sandbox, policy, around.folder.logs, unisolated=settings.unisolated)
    reap()
    return sandbox
