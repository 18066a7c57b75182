"""One run from start or from where it was cut, with the parts picked by the settings."""

import hmac
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from ml_agent.assemble import assemble
from ml_agent.background import unobserved
from ml_agent.delivery.keep import check_folder
from ml_agent.endings import RESUMABLE, Ending
from ml_agent.errors import AgentError, UsageError
from ml_agent.graph import build, plain
from ml_agent.key_mask import has_credentials
from ml_agent.navigator import Given
from ml_agent.request import Job, check_text
from ml_agent.result import SCHEMA, conclude
from ml_agent.runs import RESULT, RunFolder, discarded_on_bad_input, new_run, note_run, signature
from ml_agent.services import Observer, Services
from ml_agent.settings import Settings, load_settings
from ml_agent.state import State
from ml_agent.tools.atomic import remove_unfinished
from ml_agent.tools.versions import local_version
from ml_agent.trajectory import read_trajectory

_MOST_STATES = 1000
MOST_STEPS = 500
"""LangGraph's own stop, far above what the budgets allow."""


def begin_job(
    job: Job, settings: Settings, out: Path | None = None, progress: Observer | None = None
) -> dict[str, Any]:
    """Do a job in a new run folder (`out`, or a fresh one below the runs folder); returns what run.json holds."""
    if job.keep_outputs:
        job = msgspec.structs.replace(job, keep_outputs=str(check_folder(Path(job.keep_outputs))))
    folder = new_run(settings.runs_dir, out, config_of(job, settings))
    note_run(settings, folder)
    with discarded_on_bad_input(folder):
        return run_job(job, settings, folder, progress)


def config_of(job: Job, settings: Settings) -> dict[str, Any]:
    """What a run folder remembers of its start; keys stay in the environment, and so does an address that holds some."""
    keys = {"api_key", "github_token"} | ({"base_url"} if has_credentials(settings.base_url) else set())
    kept = settings.model_dump(mode="json", exclude=keys, exclude_none=True)
    return {"job": msgspec.to_builtins(job), "settings": kept}


def settings_of(config: dict[str, Any]) -> dict[str, Any]:
    """The settings of a run folder's config, as flags; UsageError where there are none."""
    kept = config.get("settings")
    if not isinstance(kept, dict):
        raise UsageError("config.json of this run has no settings, so the run cannot be resumed: call solve again")
    return kept


def job_of(config: dict[str, Any]) -> Job:
    """The job of a run folder's config; UsageError where it is not one."""
    try:
        return msgspec.convert(config["job"], Job)
    except (KeyError, msgspec.ValidationError) as error:
        raise UsageError(f"the run's config.json is damaged ({error}): start the run again") from error


def run_job(job: Job, settings: Settings, folder: RunFolder, progress: Observer | None = None) -> dict[str, Any]:
    """Start the job, or go on with it where an earlier process was cut; a finished run is printed again.

    Returns the result as it stands in run.json. Raises AgentError; the state up to the last finished node is kept.
    """
    with folder.locked():
        return _run(job, settings, folder, progress)


def _run(job: Job, settings: Settings, folder: RunFolder, progress: Observer | None) -> dict[str, Any]:
    """The same, by whoever holds the run."""
    folder.remove_staged()
    remove_unfinished(folder.path)
    done = folder.result()
    if done is not None:
        if folder.was_cut:
            from ml_agent.sandbox.cleanup import reap  # docker takes a tenth of a second

            reap()
        return of_this_version(done, folder)
    with _graph(folder) as graph:
        services = assemble(job, settings, folder, progress or unobserved())
        try:
            state = _drive(graph, services, folder, job)
            return conclude(job, state, services, folder)
        finally:
            services.close()
            services.observer.close()


def resume_job(folder: RunFolder, limits: Mapping[str, object], progress: Observer | None = None) -> dict[str, Any]:
    """Go on with a run: where it was cut, where its model was gone, or with higher limits where it reached one; the result of another
    finished run is printed again.

    Args:
        folder: of the run.
        limits: settings in place of those that the run was started with; None where one stays.
        progress: who is told of it.

    Returns what run.json holds. Raises UsageError where limits are given and the run ended otherwise.
    """
    config = folder.config()
    job, kept = job_of(config), settings_of(config)
    changed = {name: value for name, value in limits.items() if value is not None}
    settings = load_settings(**{**kept, **changed})
    with folder.locked():
        done = folder.result()
        gone = done is not None and of_this_version(done, folder)["ending"] == Ending.MODEL_GONE.label
        if changed or gone:
            _begin_again(folder, config_of(job, settings))
        return _run(job, settings, folder, progress)


class Correction(NamedTuple):
    """What the user says to a finished run, and where what comes of it goes."""

    words: str
    """Such as "no, with 5 epochs"."""
    out: Path | None = None
    """The new run folder; a fresh one below the runs folder where None."""
    keep_outputs: str = ""
    """Folder for copies of the files that the run makes; "" for that of the finished run, if any."""
    force: bool = False
    """Whether files there may be replaced."""
    expect: tuple[str, ...] = ()
    """Files that must come out, in place of those that were expected of the finished run."""


def continue_job(
    parent: RunFolder, correction: Correction, limits: Mapping[str, object], progress: Observer | None = None
) -> dict[str, Any]:
    """Go on from a finished run with what the user says to it, in a new run folder.

    Args:
        parent: the run's folder.
        correction: what the user says.
        limits: settings in place of those of that run; None where one stays.
        progress: who is told of it.

    Returns what run.json holds. Raises UsageError where that run has no answer.
    """
    check_text(correction.words, "the correction")
    config, done = parent.config(), parent.result()
    if done is None or not of_this_version(done, parent)["answer"] or not done["repository"]:
        raise UsageError(f"run {parent.id} has no answer to continue from: resume it, or solve it again")
    job, known = job_of(config), done["repository"]
    local = known["root"] == known["url"]
    job = msgspec.structs.replace(
        job,
        instruction=f"{job.instruction}\n{correction.words}",
        repository=known["url"] or job.repository,
        commit=job.commit if local else known["version"],
        catalog="",
        continues=str(parent.path),
        words=correction.words,
        keep_outputs=correction.keep_outputs or job.keep_outputs,
        force=correction.force or job.force,
        expect=correction.expect,
        expect_before=() if correction.expect else job.expect or job.expect_before,
        record="",
        replay="",
    )
    _see_that_nothing_is_in_the_way(job, done.get("outputs", ()))
    changed = {name: value for name, value in limits.items() if value is not None}
    return begin_job(job, load_settings(**{**settings_of(config), **changed}), correction.out, progress)


def _see_that_nothing_is_in_the_way(job: Job, made: Sequence[str]) -> None:
    """UsageError where what the earlier run made lies where the new one would keep it: said before the work."""
    there = [] if job.force or not job.keep_outputs else [one for one in made if Path(job.keep_outputs, one).exists()]
    if there:
        raise UsageError(
            f"--keep-outputs: {there[0]} is in {job.keep_outputs} already; give --force to replace it, or another folder"
        )


def _continued(job: Job) -> State:
    """The answer of the run that a job goes on from, with its conversation where a model wrote it, and what was done for it."""
    parent = RunFolder(Path(job.continues))
    with _graph(parent) as graph:
        values = graph.get_state({"configurable": {"thread_id": parent.id}}).values
    best = values.get("best")
    if not best:
        raise UsageError(f"run {parent.id} has no answer to continue from: solve it again")
    last = values.get("draft") or {}
    return State(turn=job.words, draft=last if last.get("thread") else best["draft"], repairs=best.get("repairs", []))


def _begin_again(folder: RunFolder, config: dict[str, Any]) -> None:
    """Keep the new limits, and forget what ended the run; a kill after this can be gone on from."""
    done = folder.result()
    if done is not None and of_this_version(done, folder)["ending"] not in RESUMABLE:
        raise UsageError(f"run {folder.id} ended as {done['ending']}, not at a limit: solve it again with other limits")
    folder.write_config({**config, "made": folder.made})
    (folder.path / RESULT).unlink(missing_ok=True)


def of_this_version(result: dict[str, Any], folder: RunFolder) -> dict[str, Any]:
    """The result; UsageError where another version of this program wrote it."""
    if result.get("schema") != SCHEMA:
        raise UsageError(
            f"run {folder.id} was written by another version of ML-Agent: read its run.json, or solve it again"
        )
    return result


@contextmanager
def _graph(folder: RunFolder) -> Iterator[CompiledStateGraph[State, Services, State, State]]:
    with saver(folder) as checkpoints:
        yield build(checkpoints)


def _last_whole(graph: CompiledStateGraph[State, Services, State, State], config: Any) -> StateSnapshot:
    """The newest state that can be gone on from, or that has an ending: a full disk may have cut what came after it.

    A run that reached a limit, or whose model was gone, goes on before the node that ended it.
    """
    newest = graph.get_state(config)
    if not newest.created_at or newest.next or newest.values.get("ending", Ending.BUDGET.label) not in RESUMABLE:
        return newest
    for older in graph.get_state_history(config, limit=_MOST_STATES):
        if older.next:
            return older
    raise UsageError(f"run {config['configurable']['thread_id']} was interrupted before its first step: start it again")


def changed_since(state: Mapping[str, Any]) -> str:
    """The version of a folder of the user's that a run was planned for, where the folder is at another one now; else ""."""
    known = state.get("repository") or {}
    is_folder = known and known["root"] == known["url"] and Path(known["root"]).is_dir()
    return known["version"] if is_folder and local_version(Path(known["root"])) != known["version"] else ""


def _before_plan(
    graph: CompiledStateGraph[State, Services, State, State], config: Any, newest: StateSnapshot
) -> StateSnapshot:
    """The state before the repository in turn was read: what was thought of other files holds no more."""
    states = graph.get_state_history(config, limit=_MOST_STATES)
    return next((older for older in states if older.next == ("plan",)), newest)


def _spent_usage(folder: RunFolder, kept: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the newest state says was spent, or what the newest request to a model says, where that came after it."""
    told = [event["spent"] for event in read_trajectory(folder.trajectory) if event.get("spent")]
    last = told[-1] if told else {}
    if last.get("calls", 0) <= kept.get("calls", 0):
        return kept
    return {**last, "counters": kept.get("counters", {})}


def _drive(
    graph: CompiledStateGraph[State, Services, State, State], services: Services, folder: RunFolder, job: Job
) -> State:
    config: Any = {"configurable": {"thread_id": folder.id}, "recursion_limit": MOST_STEPS}
    try:
        snapshot = _last_whole(graph, config)
    except AgentError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError) as error:  # JSON, but not the shape of a checkpoint
        raise UsageError(f"{folder.checkpoints} is damaged ({error}): start the run again") from error
    if snapshot.created_at and not snapshot.next:  # finished, but killed before the result was written
        return cast(State, snapshot.values)
    start: State | None = None
    if snapshot.next:
        # What a node spent that ended the run counts; the repositories that it tried do not: it is run again.
        kept = graph.get_state(config).values.get("budget", {})
        counters = snapshot.values.get("budget", {}).get("counters", {})
        services.budget.restore({**_spent_usage(folder, kept), "counters": counters})
        services.changed_from = changed_since(snapshot.values)
        if services.changed_from:
            snapshot = _before_plan(graph, config, snapshot)
        services.trajectory.emit("resumed", at=list(snapshot.next))
    else:
        given = Given(
            repository=job.repository,
            path=job.path,
            arguments=job.arguments,
            prefix_code=job.prefix_code,
            expect=job.expect,
            expect_before=job.expect_before,
        )
        earlier = _continued(job) if job.continues else State()
        start = State(**earlier, instruction=job.instruction, given=plain(given))
        services.trajectory.emit("started", job=msgspec.to_builtins(job))
    return cast(
        State, graph.invoke(start, snapshot.config if snapshot.next else config, context=services, durability="sync")
    )


KIND = "json"
MAX_BYTES = 64 * 1024 * 1024
"""One value above this size is no state of ours."""


class PlainJson:
    """LangGraph's serializer as plain JSON. Its own one rebuilds objects by name, which runs code that a file chose."""

    def __init__(self, run: str) -> None:
        """Read and write states of the run that is `made` so."""
        self._run = run

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The value as JSON behind this user's mark; TypeError for what is no plain value."""
        content = json.dumps(obj, ensure_ascii=False, default=_error_text).encode("utf-8", "surrogatepass")
        return KIND, signature(content, self._run).encode() + b"\n" + content

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value again; UsageError for anything but JSON that this user wrote here."""
        kind, content = data
        if kind != KIND:
            raise UsageError(
                f"the saved state of this run is in the format {str(kind)[:20]!r} instead of JSON: start the run again"
            )
        if len(content) > MAX_BYTES:
            raise UsageError("the saved state of this run is too large: start the run again")
        mark, _, content = content.partition(b"\n")
        if not hmac.compare_digest(mark, signature(content, self._run).encode()):
            raise UsageError(
                "the saved state of this run was changed after it was saved, so it cannot be resumed: start the run again"
            )
        try:
            return json.loads(content.decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the saved state of this run is damaged ({error}): start the run again") from error


def _error_text(value: Any) -> str:
    """LangGraph records the error that ended a node; its text is all that is kept."""
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    raise TypeError(f"{type(value).__name__} is no plain value")


@contextmanager
def saver(folder: RunFolder) -> Iterator[SqliteSaver]:
    """The checkpoints of a run; UsageError where their file is damaged."""
    path = folder.checkpoints
    try:
        with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            yield SqliteSaver(connection, serde=PlainJson(folder.made))
    except sqlite3.OperationalError as error:
        if "full" not in str(error) and "readonly" not in str(error) and "I/O" not in str(error):
            raise UsageError(f"{path} is damaged ({error}): start the run again") from error
        raise OSError(28, str(error), str(path)) from error
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{path} is damaged ({error}): start the run again") from error
