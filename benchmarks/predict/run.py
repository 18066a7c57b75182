"""Predict all rows: what is done stays done, what fails is a row."""

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Key, Task, missing_place, repository_folder
from ml_agent.benchmarks.engines import Engine, Work
from ml_agent.benchmarks.folder_lock import lock_folder
from ml_agent.benchmarks.own_files import PREDICTIONS, see_that_it_may_be_replaced
from ml_agent.benchmarks.predict.live import Progress
from ml_agent.benchmarks.predict.respondent import Respondent
from ml_agent.benchmarks.predict.rows import Result, RowStore
from ml_agent.benchmarks.predict.unit import Unit, lost
from ml_agent.benchmarks.predictions import Prediction, dump_prediction, total
from ml_agent.files import write_atomically


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to predict and where to put it."""

    tasks: tuple[Task, ...]
    repos: Path
    out: Path
    """JSONL file of predictions; results by row stand in the folder OUT.rows beside it."""
    who: Respondent
    retry_failed: bool = False


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What there is at the end."""

    rows: int
    answered: int
    failed: tuple[str, ...]
    """Rows without an answer, with the reason."""
    missing: int
    """Rows without any result."""
    unwritten: str = ""
    """Why the file of predictions could not be written."""


def predict(plan: Plan, engine: Engine) -> Summary:
    """Answer every row that has no result yet, then write the file of predictions.

    Args:
        plan: what to do.
        engine: carries out pieces of work.

    Raises:
        BenchError: the file of predictions is something else by now, or another process works on it.
    """
    see_that_it_may_be_replaced(plan.out, PREDICTIONS)
    parts = plan.out.with_name(plan.out.name + ".rows")
    with lock_folder(parts, plan.out):
        return _predict(plan, engine, RowStore(parts, plan.who.fingerprint))


def _predict(plan: Plan, engine: Engine, store: RowStore) -> Summary:
    units, absent = _work(plan)
    keeper = _Keeper(store)
    for result in absent:
        keeper.keep(result)
    if plan.retry_failed:
        store.forget(r for u in units if (r := store.get(u.key, u.attempt)) is not None and r.error)
    todo = [u for u in units if store.get(u.key, u.attempt) is None]
    label = functools.partial(_label, plan.who.fingerprint)
    work = Work(carry_out=plan.who.carry_out, lost=lost, label=label, seconds=plan.who.seconds, grace=plan.who.grace)
    with Progress(len(units), len(units) - len(todo), plan.who.subject) as progress:
        try:
            for result in map(keeper.keep, engine(work, todo)):
                usage = result.usage
                tokens = usage.prompt_tokens + usage.completion_tokens
                progress.add(str(result.key), tokens, usage.usd, result.error)
        finally:
            predictions = list(_collect(plan, store))
            unwritten = _write(plan.out, predictions)
    missing = {u.key for u in units if store.get(u.key, u.attempt) is None} | keeper.troubles.keys()
    summary = _summary(plan, predictions, keeper.troubles, len(missing))
    return msgspec.structs.replace(summary, unwritten=unwritten)


def _write(out: Path, predictions: Sequence[Prediction]) -> str:
    """Write the file of predictions; says why it cannot be written, so that the rows are told all the same."""
    try:
        write_atomically(out, "".join(dump_prediction(p) + "\n" for p in predictions))
    except OSError as error:
        return (
            f"{out} cannot be written: {error.strerror or error}; the results so far stand in {out.name}.rows beside it"
        )
    return ""


class _Keeper:
    """Keeps results; what cannot be kept, on a full disk for one, is that row's trouble and not the end of the others."""

    def __init__(self, store: RowStore) -> None:
        self.store, self.troubles = store, dict[Key, str]()

    def keep(self, result: Result) -> Result:
        """The result, with its error where it could not be kept."""
        try:
            self.store.put(result)
        except OSError as error:
            reason = f"its result cannot be kept: {error.strerror or error}"
            self.troubles[result.key] = reason
            return msgspec.structs.replace(result, error=reason)
        return result


def _label(fingerprint: str, unit: Unit) -> str:
    return f"{fingerprint}-{unit.label}"


def _work(plan: Plan) -> tuple[list[Unit], list[Result]]:
    """The pieces of work, rows of one repository together; and the rows whose repository is not there."""
    units: list[Unit] = []
    absent: list[Result] = []
    for task in sorted(plan.tasks, key=lambda t: t.repository):
        root, error = repository_folder(task, plan.repos), missing_place(task, plan.repos)
        if root is None or error:
            absent.append(Result(github_id=task.github_id, id=task.id, attempt=0, error=error))
        else:
            units += plan.who.units(task, root.resolve())
    return units, absent


def _collect(plan: Plan, store: RowStore) -> Iterable[Prediction]:
    """One prediction for each row that has a result, attempts in order."""
    for task in plan.tasks:
        parts = [store.get(task.key, k) for k in range(plan.who.attempts)]
        found = [p for p in parts if p is not None]
        if found:
            yield Prediction(
                github_id=task.github_id,
                id=task.id,
                output=_outputs(found, plan.who.apart),
                usage=total(p.usage for p in found),
                error="; ".join(dict.fromkeys(p.error for p in found if p.error)),
                subject=plan.who.subject,
            )


def _outputs(parts: Sequence[Result], apart: bool) -> tuple[str, ...]:
    """All answers; where attempts are apart, one without an answer counts as an empty one, so that no later one takes its place."""
    texts = tuple(text for part in parts for text in (part.output or (("",) if apart else ())))
    return texts if any(texts) else ()


def _summary(plan: Plan, predictions: Sequence[Prediction], troubles: dict[Key, str], missing: int) -> Summary:
    failed = {p.key: p.error for p in predictions if not any(p.output)} | troubles
    return Summary(
        rows=len(plan.tasks),
        answered=len(predictions) - len([p for p in predictions if p.key in failed]),
        failed=tuple(f"{key}: {reason}" for key, reason in failed.items()),
        missing=missing,
    )
