"""Many rows of form A: each result kept once and whole, so that a run can be cut at any moment and gone on with."""

import functools
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Task, repository_folder
from ml_agent.benchmarks.engines import Engine, Work
from ml_agent.benchmarks.errors import AgentMissingError, BenchError
from ml_agent.benchmarks.folder_lock import lock_folder
from ml_agent.benchmarks.form_a.output import Summary, as_row, summarise
from ml_agent.benchmarks.form_a.row import Job, Outcome, Settings, Solver, solve_row
from ml_agent.benchmarks.kept_rows import read_kept
from ml_agent.benchmarks.predict.live import Progress
from ml_agent.benchmarks.subjects.respondent import with_key
from ml_agent.files import write_atomically

OUTPUT = "output.jsonl"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to do and where to put it."""

    tasks: tuple[Task, ...]
    repos: Path
    """The repositories at their pinned commits, by lower-case name."""
    out: Path
    """Folder: output.jsonl, rows/ with one result a row, records/ with what agents left."""
    solver: Solver
    settings: Settings
    retry_failed: bool = False
    """Do rows again that failed for a reason of the infrastructure."""


class FormResult(msgspec.Struct, frozen=True, kw_only=True):
    """What there is at the end."""

    summary: Summary
    without_result: int
    """Rows of which nobody can say whether the agent solved them."""
    failed: tuple[str, ...]
    """These rows, each with the reason."""


def run(plan: Plan, engine: Engine) -> FormResult:
    """Do every row that has no result yet, then write output.jsonl.

    Args:
        plan: What to do.
        engine: Carries out rows.

    Raises AgentMissingError where the solver cannot be started here at all, BenchError where output.jsonl cannot be written.
    """
    with lock_folder(plan.out, plan.out):
        return _run(plan, engine)


def _run(plan: Plan, engine: Engine) -> FormResult:
    rows = plan.out / "rows" / fingerprint(plan)
    rows.mkdir(parents=True, exist_ok=True)
    kept = [(task, load(rows, task)) for task in plan.tasks]
    todo = [task for task, one in kept if one is None or (plan.retry_failed and not one.counts)]
    sent = msgspec.structs.replace(plan, tasks=())  # an item is sent with all of it
    work = Work(
        carry_out=functools.partial(_row, plan=sent), lost=functools.partial(_lost_outcome, plan=sent), label=_label
    )
    troubles: dict[str, str] = {}
    with Progress(len(plan.tasks), len(plan.tasks) - len(todo), plan.solver.label) as progress:
        try:
            for outcome in engine(work, todo):
                name = f"{outcome.github_id}-{outcome.id}"
                if trouble := _keep(rows / f"{name}.json", outcome):
                    troubles[name] = trouble
                spent = outcome.spent
                tokens = spent.prompt_tokens + spent.completion_tokens
                progress.add(name, tokens, spent.usd or 0.0, outcome.infrastructure or outcome.error)
        finally:
            found = _write(plan, rows)
    return _finish(plan, found, troubles)


def _keep(path: Path, outcome: Outcome) -> str:
    """Keep a result; says why it cannot be kept, on a full disk for one, so that the others go on."""
    try:
        write_atomically(path, msgspec.json.encode(outcome).decode())
    except OSError as error:
        return f"its result cannot be kept: {error.strerror or error}"
    return ""


def _finish(plan: Plan, found: Sequence[Outcome], troubles: dict[str, str]) -> FormResult:
    failed = {f"{o.github_id}-{o.id}": o.infrastructure for o in found if not o.counts} | troubles
    there = {(o.github_id, o.id) for o in found}
    failed |= {str(t.key): "not done" for t in plan.tasks if t.key not in there and str(t.key) not in troubles}
    return FormResult(
        summary=summarise(plan.solver.label, found),
        without_result=len(failed),
        failed=tuple(f"{name}: {reason}" for name, reason in failed.items()),
    )


def fingerprint(plan: Plan) -> str:
    """Changes with everything that shapes a result; the endpoint's key and address are no part of it."""
    model = {"model": plan.settings.endpoint.model, "temperature": plan.settings.endpoint.temperature}
    rest = {name: getattr(plan.settings, name) for name in Settings.__struct_fields__ if name != "endpoint"}
    shaping = msgspec.to_builtins({"solver": plan.solver.label, **model, **rest})
    return hashlib.sha256(json.dumps(shaping, sort_keys=True).encode()).hexdigest()[:16]


def load(rows: Path, task: Task) -> Outcome | None:
    """The result of a row, or None; a damaged file counts as none."""
    return read_kept(rows / f"{task.key}.json", Outcome)


def _label(task: Task) -> str:
    return str(task.key)


def _row(task: Task, plan: Plan) -> Outcome:
    root = repository_folder(task, plan.repos)
    if root is None:
        return _lost_outcome(task, f"no repository {task.repository} in {plan.repos}", plan)
    settings = msgspec.structs.replace(plan.settings, endpoint=with_key(plan.settings.endpoint))
    try:
        job = Job(task=task, root=root.resolve(), solver=plan.solver, settings=settings)
        return solve_row(job, plan.out / "records" / str(task.key))
    except AgentMissingError:
        raise
    except Exception as error:  # noqa: BLE001 - a full disk or a defect in one row must not stop the others; it is the row's
        return _lost_outcome(task, f"{type(error).__name__}: {error}", plan)


def _lost_outcome(task: Task, reason: str, plan: Plan) -> Outcome:
    return Outcome(github_id=task.github_id, id=task.id, solver=plan.solver.label, infrastructure=reason)


def _write(plan: Plan, rows: Path) -> Sequence[Outcome]:
    pairs = [(task, outcome) for task in plan.tasks if (outcome := load(rows, task)) is not None]
    lines = [json.dumps(as_row(outcome, task, plan.settings), ensure_ascii=False) + "\n" for task, outcome in pairs]
    try:
        write_atomically(plan.out / OUTPUT, "".join(lines))
    except OSError as error:
        raise BenchError(f"{plan.out / OUTPUT} cannot be written: {error.strerror or error}") from error
    return [outcome for _, outcome in pairs]
