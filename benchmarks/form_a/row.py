"""One row of form A: the agent in its sandbox, then its run.sh; trouble of the infrastructure is told apart and tried again."""

from pathlib import Path
from typing import Protocol

import msgspec

from ml_agent.benchmarks.data import Task, Visible, visible
from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.form_a.check import SCRIPT, Rules, Script, ScriptVerdict, check
from ml_agent.benchmarks.form_a.words import instruction
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.model import REPLY_TOKENS, Ended, SubjectRun, SubjectTask
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.benchmarks.subjects.subject import Subject
from ml_agent.benchmarks.subjects.workplace import clear, folder_of, name_of, workplace
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from ml_agent.sandbox.contract import Command, Sandbox
from ml_agent.sandbox.errors import SandboxError

LIMITS = Limits(calls=10, seconds=1800.0)
"""Ten requests, as in OpenHands' run_infer.sh (`--max-iterations 10`)."""


class Assignment(msgspec.Struct, frozen=True, kw_only=True):
    """What a solver is to do, in a started sandbox that holds the repository."""

    seen: Visible
    """All that may be known of the row."""
    root: Path
    """The repository on this machine; only read."""
    name: str
    """Its folder in the workspace."""
    task: SubjectTask


class Solver(Protocol):
    """Whoever solves rows: another agent, or ML-Agent itself."""

    label: str

    def mounts(self) -> tuple[Path, ...]:
        """Folders of this machine that the sandbox must show."""

    def solve(self, assignment: Assignment, sandbox: Sandbox, records: Path) -> SubjectRun:
        """Leave a run.sh in the task's folder. SandboxError where the sandbox fails."""


class AgentSolver:
    """Another agent."""

    def __init__(self, subject: Subject, installed: Installed) -> None:
        self.label = f"{subject.name} {installed.version}"
        self._subject, self._installed = subject, installed

    def mounts(self) -> tuple[Path, ...]:
        """Its environment."""
        return self._installed.mounts()

    def solve(self, assignment: Assignment, sandbox: Sandbox, records: Path) -> SubjectRun:
        """Run it."""
        return self._subject.run(assignment.task, sandbox, self._installed, records)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How rows are done."""

    endpoint: Endpoint
    limits: Limits = LIMITS
    """Of one try."""
    reply_tokens: int = REPLY_TOKENS
    place: Place = Place()
    rules: Rules = Rules()
    installs: bool = True
    """Whether agent and run.sh may install packages, from the index that this machine is set to."""
    tries: int = 3
    """How often a row is begun where the infrastructure fails it."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A row to be done."""

    task: Task
    """The solver sees only what `visible` lets it."""
    root: Path
    """The repository's folder at its pinned commit."""
    solver: Solver
    settings: Settings


class RowCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a row cost over all its tries."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    usd: float | None = 0.0
    """None where a price is unknown."""

    def plus(self, run: SubjectRun) -> "RowCost":
        """With one more try."""
        usd = None if self.usd is None or run.usd is None else self.usd + run.usd
        return RowCost(
            calls=self.calls + run.calls,
            prompt_tokens=self.prompt_tokens + run.prompt_tokens,
            completion_tokens=self.completion_tokens + run.completion_tokens,
            seconds=round(self.seconds + run.seconds, 3),
            usd=usd,
        )


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a row."""

    github_id: int
    id: int
    solver: str
    told: str = ""
    checked: ScriptVerdict = ScriptVerdict()
    ended: Ended | None = None
    """None where the agent never ran."""
    error: str = ""
    """The agent's."""
    infrastructure: str = ""
    """Why nobody can say whether the agent solved it: the last try failed for a reason that is not the agent's."""
    spent: RowCost = RowCost()
    tries: int = 0

    @property
    def counts(self) -> bool:
        """Whether it may be counted for or against the agent."""
        return not self.infrastructure


def solve_row(job: Job, records: Path) -> Outcome:
    """Do a row, again where the infrastructure fails; the cost of every try counts. `records` gets one folder a try.

    Raises AgentMissingError where the solver cannot be started here at all.
    """
    outcome = Outcome(github_id=job.task.github_id, id=job.task.id, solver=job.solver.label)
    for number in range(1, job.settings.tries + 1):
        outcome = msgspec.structs.replace(outcome, tries=number, infrastructure="", error="")
        try:
            outcome = _try(job, outcome, records / f"try-{number}")
        except SandboxError as error:
            outcome = msgspec.structs.replace(outcome, infrastructure=f"{type(error).__name__}: {error}")
        if outcome.counts:
            return outcome
    return outcome


def _try(job: Job, outcome: Outcome, records: Path) -> Outcome:
    clear(records)
    name = name_of(job.task.github)
    with workplace(job.settings.place, records, job.solver.mounts(), job.root, name) as sandbox:
        assignment = _assignment(job, name, sandbox)
        run = job.solver.solve(assignment, sandbox, records)
        outcome = msgspec.structs.replace(
            outcome, told=assignment.task.text, ended=run.ended, error=run.error, spent=outcome.spent.plus(run)
        )
        if run.ended == "lost" or run.trouble:
            return msgspec.structs.replace(outcome, infrastructure=run.trouble or f"the sandbox is gone: {run.error}")
        place = Script(task=job.task, root=job.root, name=assignment.name, installs=job.settings.installs)
        checked = check(sandbox, place, job.settings.rules)
        return msgspec.structs.replace(outcome, checked=checked)


def _assignment(job: Job, name: str, sandbox: Sandbox) -> Assignment:
    task, settings = job.task, job.settings
    seen = visible(task, "agent")
    workspace = sandbox.run(Command(text="pwd", timeout=60)).stdout.strip()
    if not workspace:
        raise AgentMissingError(f"the {sandbox.name} sandbox does not say where its workspace is")
    folder = folder_of(name, task.folder)
    subject_task = SubjectTask(
        text=instruction(seen, f"{workspace}/{folder}"),
        endpoint=settings.endpoint,
        folder=folder,
        writes=(SCRIPT,),
        limits=settings.limits,
        reply_tokens=settings.reply_tokens,
        installs=settings.installs,
    )
    return Assignment(seen=seen, root=job.root, name=name, task=subject_task)
