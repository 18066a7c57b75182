"""Form L (ML-Bench-L): each row is answered by a command or code, which `bench score` then compares with the row's reference.

A `Respondent` answers: ML-Agent's own navigators (`navigators.respondent`), or another agent in a sandbox (`agent_respondent`). `predict`
cuts rows into units (a row with all its attempts, or one attempt where attempts are to know nothing of each other), lets an engine do
those that have no result yet, and writes the file of predictions. What fails is a row with an error; the others go on.
"""

import functools
import operator
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import (
    Key,
    Setting,
    Task,
    Visible,
    missing_place,
    repository_folder,
    repository_name,
    visible,
)
from ml_agent.benchmarks.engines import Engine, Work
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.official import as_published
from ml_agent.benchmarks.predictions import Prediction, Usage, dump_prediction
from ml_agent.benchmarks.results import RowResult, Series, carry_on
from ml_agent.benchmarks.work import SCRIPT, Assignment, PeerAgent, Terms, accounted, at_work, with_tries
from ml_agent.files import write_atomically
from ml_agent.prompts.render import render

CODE = "answer.py"
GRACE_SECONDS = 2.0
"""After its limit a row has so much time to say so, and what it spent, before its process is ended."""
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


def predict(plan: Plan, engine: Engine) -> list[Prediction]:
    """Answer every row that has no result yet, write the file of predictions, and return them in the order of the rows.

    BenchError where results cannot be kept, another process writes them, or `out` is a folder or a file that no earlier call made.
    """
    parts = plan.out.with_name(f"{plan.out.name}.rows")
    if plan.out.is_dir():
        raise BenchError(f"{plan.out} is a folder: name a file for --out")
    if plan.out.is_file() and not parts.is_dir():
        raise BenchError(
            f"the file {plan.out} exists and does not contain predictions, so it is not replaced: choose another --out"
        )
    units: list[Unit] = []
    found: dict[str, Answered] = {}
    for task in sorted(plan.tasks, key=lambda t: t.repository):  # rows of one repository together
        root, error = repository_folder(task, plan.repos), missing_place(task, plan.repos)
        if root is None or error:
            found[f"{task.key}-0"] = Answered(row=f"{task.key}-0", error=error)
        else:
            units += plan.who.units(task, root.resolve())
    who = plan.who
    seconds = None if who.seconds is None else who.seconds + GRACE_SECONDS
    series = Series(
        file=parts / "results.jsonl", kind=Answered, config=who.fingerprint, who=who.subject, model=who.model
    )  # fmt: skip
    done = carry_on(
        series,
        Work(carry_out=who.carry_out, lost=lost, label=operator.attrgetter("label"), seconds=seconds),
        units,
        engine,
    )
    found |= {one.row: one for one in done}
    predictions = [_prediction(task, who, found) for task in plan.tasks]
    write_atomically(plan.out, "".join(dump_prediction(one) + "\n" for one in predictions))
    return predictions


def lost(unit: Unit, reason: str) -> Answered:
    """The result of a piece of work whose worker died."""
    return Answered(row=unit.label, infrastructure=reason)


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
        fingerprint=terms.config(agent.label, agent.installed.fingerprint, setting, words),
        setting=setting,
        carry_out=functools.partial(answer, agent=agent, terms=terms, records=records.absolute()),
        model=terms.endpoint.model,
        attempts=attempts,
        apart=True,
    )


def answer(unit: Unit, agent: PeerAgent, terms: Terms, records: Path) -> Answered:
    """One attempt at one row, in a sandbox of its own; whatever goes wrong with it becomes its error."""
    name = repository_name(unit.shown.github)
    job = Assignment(
        seen=unit.shown, root=unit.root, told=lambda _folder: task_text(unit.shown), writes=(SCRIPT, CODE), name=name
    )  # fmt: skip

    def attempt(done: Answered, folder: Path) -> Answered:
        with at_work(agent, job, terms, folder) as (run, _):
            done = accounted(done, run)
            text = answer_of(run.files)
            if text:
                return msgspec.structs.replace(done, output=(text,), error="", infrastructure="")
            said = f"no answer was written ({run.ended}{': ' + run.error if run.error else ''})"
            return msgspec.structs.replace(done, error=said)

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
