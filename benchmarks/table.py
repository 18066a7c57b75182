"""One table: every subject on the same rows, model and limits; what is done stays done, what cannot run says so."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Setting, Task
from ml_agent.benchmarks.engines import Engine
from ml_agent.benchmarks.errors import AgentMissingError, BenchError
from ml_agent.benchmarks.predict.config import Config, NavigatorName
from ml_agent.benchmarks.predict.respondent import Respondent, navigator
from ml_agent.benchmarks.predict.run import Plan, predict
from ml_agent.benchmarks.predictions import Prediction, load_predictions
from ml_agent.benchmarks.report import write_absent, write_report
from ml_agent.benchmarks.scored import Scored, load_scored
from ml_agent.benchmarks.scoring import Mode, score_all
from ml_agent.benchmarks.subjects import registry
from ml_agent.benchmarks.subjects.model import REPLY_TOKENS, Calling, Say
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.benchmarks.subjects.respondent import AgentConfig, agent, see_that_it_answers
from ml_agent.budget import Limits
from ml_agent.files import write_atomically
from ml_agent.settings import load_settings

NAVIGATORS: dict[str, tuple[NavigatorName, Setting]] = {
    "grounded": ("grounded", "agent"),
    "llm": ("llm", "agent"),
    "raw": ("raw", "agent"),
    "oracle": ("raw", "oracle"),
}
"""What each of ours is called in a table, and what it is shown: raw the README of the task's folder, oracle the row's segment."""
SCORES = "scores"


class TablePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What goes into the table."""

    tasks: tuple[Task, ...]
    repos: Path
    out: Path
    """Folder: NAME.jsonl predictions, scores/NAME.json, scores/report.md and .html, records/NAME."""
    home: Path
    """Where agents are installed."""
    subjects: tuple[str, ...]
    model: str = ""
    base_url: str = ""
    limits: Limits = Limits()
    """Of one row, the same for every subject."""
    context_tokens: int = 12000
    """Of the README that raw is shown, at most."""
    reply_tokens: int = REPLY_TOKENS
    """Of one reply to another agent."""
    calling: Calling = "native"
    place: Place = Place()
    mode: Mode = "strict"
    """By which rules the subjects are scored."""
    retry_failed: bool = False

    @property
    def scores(self) -> Path:
        """Where scores and reports go: those of each mode apart."""
        return self.out / (SCORES if self.mode == "strict" else f"{SCORES}-{self.mode}")


class TableResult(msgspec.Struct, frozen=True, kw_only=True):
    """What there is at the end."""

    report: Path | None
    """None where no subject ran."""
    absent: dict[str, str]
    """Subjects that could not be run, with the reason."""
    missing: int
    """Rows without a result, over all subjects that ran."""


def names() -> tuple[str, ...]:
    """All subjects that a table can have."""
    return (*NAVIGATORS, *registry.names())


def make_table(plan: TablePlan, engine: Engine, say: Say) -> TableResult:
    """Answer, score and report subject by subject; the report is there after the first and grows with each.

    Args:
        plan: what goes into it.
        engine: carries out the work.
        say: is told what is under way.

    Raises ProviderError where no endpoint answers and a subject needs one.
    """
    if any(name != "grounded" for name in plan.subjects):
        see_that_it_answers(_model(plan).endpoint())
    scores = plan.scores
    scores.mkdir(parents=True, exist_ok=True)
    absent: dict[str, str] = {}
    found: list[Scored] = []
    missing, report = 0, None
    for name in plan.subjects:
        say(f"{name}: {len(plan.tasks)} rows")
        try:
            missing += _answer(name, plan, engine, say)
        except AgentMissingError as error:
            absent[name] = str(error)
            say(f"{name} did not run: {error}")
        else:
            found.append(_score(name, plan))
        write_absent(scores, absent)
        report = write_report(found, scores, notes(plan), absent)[0] if found else None
    return TableResult(report=report, absent=absent, missing=missing)


def notes(plan: TablePlan) -> list[str]:
    """What stands above the table."""
    given = {name: value for name, value in msgspec.structs.asdict(plan.limits).items() if value is not None}
    limits = ", ".join(f"{value:g} {name}" for name, value in given.items()) or "none"
    return [
        f"{datetime.now(UTC):%Y-%m-%d}; model {plan.model or 'none'}; temperature 0 where the agent does not set its own; "
        f"limits of a row: {limits}; raw: {plan.context_tokens} tokens of the README; other agents: {plan.reply_tokens} tokens a reply, {plan.calling} calling.",
        "Every subject sees the instruction, the repository and the task's folder; oracle sees the README segment that holds the "
        "answer instead. The table does not show what another model, larger limits or more attempts would give, and a strict "
        "pass does not show that a training would succeed.",
    ]


def respondent(name: str, plan: TablePlan) -> Respondent:
    """A subject by its name in the table. AgentMissingError where it is not installed, BenchError for an unknown name."""
    limits = plan.limits
    if name in NAVIGATORS:
        who, setting = NAVIGATORS[name]
        config = Config(
            navigator=who, setting=setting, model=plan.model, base_url=plan.base_url, max_tokens=limits.tokens,
            max_cost=limits.usd, max_calls=limits.calls, max_seconds=limits.seconds, context_tokens=plan.context_tokens,
        )  # fmt: skip
        return navigator(config.checked())
    return agent(msgspec.structs.replace(_model(plan), agent=name), plan.out / "records" / name)


def _model(plan: TablePlan) -> AgentConfig:
    """What all agents are told; BenchError where no model is named."""
    settings = load_settings(model=plan.model or None, base_url=plan.base_url or None)
    if not settings.model:
        raise BenchError("a table of more than grounded needs --model (or ML_AGENT_MODEL)")
    return AgentConfig(
        agent="", home=plan.home, model=settings.model, base_url=settings.base_url, limits=plan.limits, place=plan.place,
        reply_tokens=plan.reply_tokens, calling=plan.calling,
    )  # fmt: skip


def _answer(name: str, plan: TablePlan, engine: Engine, say: Say) -> int:
    """Answer the rows; returns how many have no result. AgentMissingError where the subject never got to work."""
    out = plan.out / f"{name}.jsonl"
    made = Plan(tasks=plan.tasks, repos=plan.repos, out=out, who=respondent(name, plan), retry_failed=plan.retry_failed)
    summary = predict(made, engine)
    for line in summary.failed:
        say(f"{name}: no answer {line}")
    if name not in NAVIGATORS:
        _see_that_it_ran(load_predictions(out))
    if summary.unwritten:
        raise BenchError(summary.unwritten)
    return summary.missing


def _see_that_it_ran(predictions: Sequence[Prediction]) -> None:
    """An agent that never asked the model failed by itself, and not at the tasks."""
    if predictions and not any(p.usage.calls or p.output for p in predictions):
        reason, rows = Counter(p.error for p in predictions).most_common(1)[0]
        raise AgentMissingError(f"{reason} ({rows} of {len(predictions)} rows)")


def _score(name: str, plan: TablePlan) -> Scored:
    path = plan.scores / f"{name}.json"
    score = score_all(plan.tasks, load_predictions(plan.out / f"{name}.jsonl"), plan.repos, plan.mode)
    label = score.subject.replace(f"raw ({NAVIGATORS[name][1]})", name) if name in NAVIGATORS else score.subject
    write_atomically(path, json.dumps({**score.summary(), "subject": label}, ensure_ascii=False))
    return load_scored(path)


def install_missing(plan: TablePlan, checkouts: dict[str, Path], say: Say) -> None:
    """Install the plan's agents that are not there; one that cannot be had stays missing and says so."""
    for name in plan.subjects:
        if name in NAVIGATORS:
            continue
        found = registry.subject(name, checkouts.get(name))
        try:
            if found.find(plan.home) is None:
                found.install(plan.home, say)
        except AgentMissingError as error:
            say(f"{name}: {error}")


def checked(subjects: Sequence[str]) -> tuple[str, ...]:
    """The names, each once; BenchError for one that is unknown."""
    for name in subjects:
        if name not in NAVIGATORS:
            try:
                registry.subject(name)
            except BenchError as error:
                raise BenchError(f"no such subject: {name}; there are {', '.join(names())}") from error
    return tuple(dict.fromkeys(subjects))
