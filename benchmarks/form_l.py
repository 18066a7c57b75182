"""Form L: each row is answered by a command or code, apart from the others; what is done stays done, what fails is a row."""

import functools
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Key, Setting, Task, Visible, missing_place, repository_folder, visible
from ml_agent.benchmarks.engines import Engine, Work
from ml_agent.benchmarks.official import as_published
from ml_agent.benchmarks.predictions import Prediction, Usage, dump_prediction
from ml_agent.benchmarks.results import Line, Series, carry_on, lock_folder, see_that_it_may_be_replaced
from ml_agent.benchmarks.subjects.model import SubjectRun
from ml_agent.benchmarks.work import (
    SCRIPT,
    Assignment,
    PeerAgent,
    RowResult,
    Terms,
    accounted,
    at_work,
    with_key,
    with_tries,
)
from ml_agent.files import write_atomically
from ml_agent.prompts.render import render

CODE = "answer.py"
GRACE_SECONDS = 2.0
"""A row that comes to its end after its limit has time to say so, and what it spent, before its process is ended."""
_ONLY_RUNS_CODE = re.compile(r"(?:exec\s+)?python3?\s+(?:\./)?answer\.py\s*")


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of work, one or all attempts at a row; nothing that only scorers may see is in it."""

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


class Answered(RowResult, frozen=True, kw_only=True):
    """What came of one piece of work."""

    output: tuple[str, ...] = ()


class Respondent(msgspec.Struct, frozen=True, kw_only=True):
    """Whoever answers; everything in it can be sent to another process, secrets are no part of it."""

    subject: str
    """For tables."""
    fingerprint: str
    """Changes whenever an answer might."""
    setting: Setting
    carry_out: Callable[[Unit], Answered]
    """Answers one piece of work; its own failures are results."""
    model: str = ""
    attempts: int = 1
    seconds: float | None = None
    """Wall time after which the process of a piece of work is ended."""
    apart: bool = False
    """Whether attempts know nothing of each other, so that each is a piece of work."""

    def units(self, task: Task, root: Path) -> list[Unit]:
        """The pieces of work for a row, whose repository is `root`."""
        shown = visible(task, self.setting)
        if self.apart:
            return [Unit(key=task.key, shown=shown, root=root, attempt=k) for k in range(self.attempts)]
        return [Unit(key=task.key, shown=shown, root=root, attempts=self.attempts)]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to answer and where to put it."""

    tasks: tuple[Task, ...]
    repos: Path
    out: Path
    """JSONL file of predictions; results by row stand in the folder OUT.rows beside it."""
    who: Respondent
    retry_failed: bool = False


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What there is at the end."""

    rows: int
    failed: tuple[str, ...]
    """Rows without an answer, with the reason."""

    @property
    def answered(self) -> int:
        """Rows with an answer."""
        return self.rows - len(self.failed)


def predict(plan: Plan, engine: Engine) -> Summary:
    """Answer every row that has no result yet, then write the file of predictions.

    Raises:
        BenchError: results cannot be kept, the file of predictions is something else by now, or another process works on it.
    """
    parts = plan.out.with_name(f"{plan.out.name}.rows")
    see_that_it_may_be_replaced(plan.out, parts, "predictions")
    with lock_folder(parts, plan.out):
        predictions = _predict(plan, engine, parts / "results.jsonl")
        write_atomically(plan.out, "".join(dump_prediction(one) + "\n" for one in predictions))
    failed = tuple(f"{one.key}: {one.error}" for one in predictions if not any(one.output))
    return Summary(rows=len(plan.tasks), failed=failed)


def _predict(plan: Plan, engine: Engine, file: Path) -> list[Prediction]:
    units: list[Unit] = []
    absent: dict[str, Answered] = {}
    for task in sorted(plan.tasks, key=lambda t: t.repository):  # rows of one repository together
        root, error = repository_folder(task, plan.repos), missing_place(task, plan.repos)
        if root is None or error:
            absent[f"{task.key}-0"] = Answered(row=f"{task.key}-0", error=error)
        else:
            units += plan.who.units(task, root.resolve())
    who = plan.who
    work = Work(carry_out=who.carry_out, lost=lost, label=_name, seconds=who.seconds, grace=GRACE_SECONDS)
    series = Series(
        file=file, line=Line[Answered], config=who.fingerprint, who=who.subject, model=who.model,
        again=lambda one: plan.retry_failed and bool(one.trouble),
    )  # fmt: skip
    found = absent | carry_on(series, work, units, engine)
    return [_prediction(task, who, found) for task in plan.tasks]


def _name(unit: Unit) -> str:
    return unit.label


def lost(unit: Unit, reason: str) -> Answered:
    """The result of a piece of work whose worker died."""
    return Answered(row=unit.label, error=reason)


def _prediction(task: Task, who: Respondent, found: Mapping[str, Answered]) -> Prediction:
    """A row with all its attempts in order; where they are apart, one without an answer counts as an empty one."""
    parts = [one for k in range(who.attempts) if (one := found.get(f"{task.key}-{k}")) is not None]
    texts = tuple(text for part in parts for text in (part.output or (("",) if who.apart else ())))
    return Prediction(
        github_id=task.github_id,
        id=task.id,
        output=texts if any(texts) else (),
        usage=functools.reduce(Usage.plus, (part.usage for part in parts), Usage()),
        error="; ".join(dict.fromkeys(part.trouble for part in parts if part.trouble)),
        subject=who.subject,
    )


def agent_respondent(agent: PeerAgent, terms: Terms, records: Path, setting: Setting, attempts: int) -> Respondent:
    """Another agent as a respondent: what it writes into run.sh or answer.py is its answer.

    Args:
        agent: Who works.
        terms: Its model and limits.
        records: Gets what it leaves, one folder an attempt.
        setting: "repo" hides the task's folder.
        attempts: Answers a row.
    """
    words = task_text(Visible(instruction="x", github="y", path="z", prefix_code="p"))
    return Respondent(
        subject=f"{agent.label}, {terms.endpoint.model}",
        fingerprint=terms.config(agent.label, agent.installed.fingerprint, agent.installed.commit, setting, words),
        setting=setting,
        carry_out=functools.partial(answer, agent=agent, terms=terms, records=records.absolute()),
        model=terms.endpoint.model,
        attempts=attempts,
        apart=True,
    )


def answer(unit: Unit, agent: PeerAgent, terms: Terms, records: Path) -> Answered:
    """One attempt at one row, in a sandbox of its own; whatever goes wrong with it becomes its error."""
    terms = with_key(terms)
    job = Assignment(seen=unit.shown, root=unit.root, told=lambda _folder: task_text(unit.shown), writes=(SCRIPT, CODE))

    def attempt(done: Answered, folder: Path) -> Answered:
        with at_work(agent, job, terms, folder) as (run, _):
            text = answer_of(run.files)
            done = msgspec.structs.replace(accounted(done, run), output=(text,) if text else ())
            return msgspec.structs.replace(done, infrastructure="", error="" if text else _problem(run))

    return with_tries(Answered(row=unit.label, agent=agent.label), terms, records / unit.label, attempt)


def answer_of(files: Mapping[str, str]) -> str:
    """The command in run.sh, or the code in answer.py where run.sh is missing or only runs it; empty where both are."""
    command = re.sub(r"\A#![^\n]*\n?", "", files.get(SCRIPT, "")).strip()
    code = files.get(CODE, "").strip()
    lines = [line.strip() for line in command.splitlines() if line.strip() and not line.strip().startswith("#")]
    if code and all(_ONLY_RUNS_CODE.fullmatch(line) or line.startswith("set -") for line in lines):
        return code
    return as_published(command)


def task_text(seen: Visible) -> str:
    """What every agent is told."""
    fields = {"github": seen.github, "folder": seen.path or ".", "instruction": seen.instruction}
    return "\n\n".join(render("bench_task", prefix_code=seen.prefix_code, **fields).values())


def _problem(run: SubjectRun) -> str:
    if run.trouble:
        return f"the endpoint failed: {run.trouble}"
    return f"no answer was written ({run.ended}{': ' + run.error if run.error else ''})"
