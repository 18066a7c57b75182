"""Many rows of form A: each result kept once and whole, so that a run can be cut at any moment and gone on with."""

import functools
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from benchmarks.data import Task, repository_folder
from benchmarks.engines import Engine, Work
from benchmarks.engines.local import LocalEngine
from benchmarks.errors import AgentMissingError
from benchmarks.form_a.output import Summary, as_row, summarise
from benchmarks.form_a.row import Job, Outcome, Settings, Solver, solve_row
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
    jobs: int = 1
    retry_failed: bool = False
    """Do rows again that failed for a reason of the infrastructure."""


def run(plan: Plan, engine: Engine | None = None, on_row: Callable[[Outcome], None] | None = None) -> Summary:
    """Do every row that has no result yet, then write output.jsonl.

    Args:
        plan: What to do.
        engine: Carries out rows; None takes processes of this machine.
        on_row: Called with each new outcome, for the display.

    Raises AgentMissingError where the solver cannot be started here at all.
    """
    rows = plan.out / "rows" / fingerprint(plan)
    rows.mkdir(parents=True, exist_ok=True)
    todo = [task for task in plan.tasks if _todo(load(rows, task), plan)]
    work = Work(carry_out=functools.partial(_row, plan=plan), lost=functools.partial(_lost, plan=plan), label=_label)
    carry_out: Engine = engine or LocalEngine(plan.jobs)
    try:
        for outcome in carry_out(work, todo):
            write_atomically(rows / f"{outcome.github_id}-{outcome.id}.json", msgspec.json.encode(outcome).decode())
            if on_row is not None:
                on_row(outcome)
    finally:
        found = _write(plan, rows)
    return summarise(found)


def fingerprint(plan: Plan) -> str:
    """Changes with everything that shapes a result; the endpoint's key and address are no part of it."""
    model = {"model": plan.settings.endpoint.model, "temperature": plan.settings.endpoint.temperature}
    rest = {name: getattr(plan.settings, name) for name in Settings.__struct_fields__ if name != "endpoint"}
    shaping = msgspec.to_builtins({"solver": plan.solver.label, **model, **rest})
    return hashlib.sha256(json.dumps(shaping, sort_keys=True).encode()).hexdigest()[:16]


def load(rows: Path, task: Task) -> Outcome | None:
    """The result of a row, or None; a damaged file counts as none."""
    try:
        return msgspec.json.decode((rows / f"{task.key}.json").read_bytes(), type=Outcome)
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        return None


def _todo(outcome: Outcome | None, plan: Plan) -> bool:
    return outcome is None or (plan.retry_failed and not outcome.counts)


def _label(task: Task) -> str:
    return str(task.key)


def _row(task: Task, plan: Plan) -> Outcome:
    root = repository_folder(task, plan.repos)
    if root is None:
        return _lost(task, f"no repository {task.repository} in {plan.repos}", plan)
    job = Job(task=task, root=root.resolve(), solver=plan.solver, settings=plan.settings)
    try:
        return solve_row(job, plan.out / "records" / str(task.key))
    except AgentMissingError:
        raise
    except Exception as error:  # noqa: BLE001 - a full disk or a defect in one row must not stop the others; it is the row's
        return _lost(task, f"{type(error).__name__}: {error}", plan)


def _lost(task: Task, reason: str, plan: Plan) -> Outcome:
    return Outcome(github_id=task.github_id, id=task.id, solver=plan.solver.label, infrastructure=reason)


def _write(plan: Plan, rows: Path) -> Sequence[Outcome]:
    pairs = [(task, outcome) for task in plan.tasks if (outcome := load(rows, task)) is not None]
    lines = [json.dumps(as_row(outcome, task, plan.settings), ensure_ascii=False) + "\n" for task, outcome in pairs]
    write_atomically(plan.out / OUTPUT, "".join(lines))
    return [outcome for _, outcome in pairs]
