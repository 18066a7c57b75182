"""Predict all rows: what is done stays done, what fails is a row."""

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from benchmarks.data import Task, repository_folder
from benchmarks.engines import Engine, Work
from benchmarks.engines.local import LocalEngine
from benchmarks.predict.config import Config
from benchmarks.predict.live import Progress
from benchmarks.predict.rows import Result, RowStore
from benchmarks.predict.unit import Unit, answer, lost, units_of
from benchmarks.predictions import Prediction, Usage, dump_prediction
from ml_agent.files import write_atomically


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to predict and where to put it."""

    tasks: tuple[Task, ...]
    repos: Path
    out: Path
    """JSONL file of predictions; results by row stand in the folder OUT.rows beside it."""
    config: Config
    jobs: int = 1
    retry_failed: bool = False


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What there is at the end."""

    rows: int
    answered: int
    failed: tuple[str, ...]
    """Rows without an answer, with the reason."""
    missing: int
    """Rows without any result."""


def predict(plan: Plan, engine: Engine | None = None) -> Summary:
    """Answer every row that has no result yet, then write the file of predictions.

    Args:
        plan: what to do.
        engine: carries out pieces of work; None takes processes of this machine.
    """
    store = RowStore(plan.out.with_name(plan.out.name + ".rows"), plan.config.fingerprint())
    units, absent = _work(plan)
    for result in absent:
        store.put(result)
    if plan.retry_failed:
        store.forget(r for u in units if (r := store.get(u.key, u.attempt)) is not None and r.error)
    todo = [u for u in units if store.get(u.key, u.attempt) is None]
    run: Engine = engine or LocalEngine(plan.jobs)
    work = Work(
        carry_out=functools.partial(answer, config=plan.config),
        lost=lost,
        label=functools.partial(_label, plan.config.fingerprint()),
    )
    with Progress(len(units), len(units) - len(todo), plan.config.subject) as progress:
        try:
            for result in run(work, todo):
                store.put(result)
                progress.add(result)
        finally:
            predictions = list(_collect(plan, store))
            write_atomically(plan.out, "".join(dump_prediction(p) + "\n" for p in predictions))
    return _summary(plan, predictions)


def _label(fingerprint: str, unit: Unit) -> str:
    return f"{fingerprint}-{unit.label}"


def _work(plan: Plan) -> tuple[list[Unit], list[Result]]:
    """The pieces of work, rows of one repository together; and the rows whose repository is not there."""
    units: list[Unit] = []
    absent: list[Result] = []
    for task in sorted(plan.tasks, key=lambda t: t.repository):
        root = repository_folder(task, plan.repos)
        if root is None:
            error = f"no repository {task.repository} in {plan.repos}"
            absent.append(Result(github_id=task.github_id, id=task.id, attempt=0, error=error))
        else:
            units += units_of(task, root.resolve(), plan.config)
    return units, absent


def _collect(plan: Plan, store: RowStore) -> Iterable[Prediction]:
    """One prediction for each row that has a result, attempts in order."""
    for task in plan.tasks:
        parts = [store.get(task.key, k) for k in range(plan.config.attempts)]
        found = [p for p in parts if p is not None]
        if found:
            yield Prediction(
                github_id=task.github_id,
                id=task.id,
                output=tuple(text for p in found for text in p.output),
                usage=_sum([p.usage for p in found]),
                error="; ".join(dict.fromkeys(p.error for p in found if p.error)),
                subject=plan.config.subject,
            )


def _sum(usages: Sequence[Usage]) -> Usage:
    return Usage(**{name: sum(getattr(u, name) for u in usages) for name in Usage.__struct_fields__})


def _summary(plan: Plan, predictions: Sequence[Prediction]) -> Summary:
    failed = tuple(f"{p.key}: {p.error}" for p in predictions if not p.output)
    return Summary(
        rows=len(plan.tasks),
        answered=len(predictions) - len(failed),
        failed=failed,
        missing=len(plan.tasks) - len(predictions),
    )
