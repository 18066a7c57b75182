"""One row of ML-Bench-L by another agent: what it writes into run.sh or answer.py is its answer."""

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Visible
from ml_agent.benchmarks.official import as_published
from ml_agent.benchmarks.predictions import Usage
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.model import DEFAULT_LIMITS, REPLY_TOKENS, Calling, SubjectRun, SubjectTask
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.benchmarks.subjects.subject import Subject
from ml_agent.benchmarks.subjects.workplace import clear, folder_of, name_of, workplace
from ml_agent.files import write_atomically
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from ml_agent.prompts.render import render
from ml_agent.sandbox.errors import SandboxError

COMMAND, CODE = "run.sh", "answer.py"
_ONLY_RUNS_CODE = re.compile(r"(?:exec\s+)?python3?\s+(?:\./)?answer\.py\s*")


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """Who answers, with what."""

    subject: Subject
    installed: Installed
    endpoint: Endpoint
    limits: Limits = DEFAULT_LIMITS
    """Of one attempt."""
    reply_tokens: int = REPLY_TOKENS
    """Of one reply of the model."""
    calling: Calling = "native"
    place: Place = Place()

    @property
    def label(self) -> str:
        """Agent, version, calling and model in one line."""
        calling = " (text)" if self.calling == "text" else ""
        return f"{self.subject.name} {self.installed.version}{calling}, {self.endpoint.model}"


class AttemptResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one attempt."""

    text: str
    """Empty where there is no answer."""
    usage: Usage = Usage()
    error: str = ""
    """Why there is none."""


def attempt(trial: Trial, seen: Visible, root: Path, records: Path) -> AttemptResult:
    """One answer, made in a sandbox of its own.

    Args:
        trial: Who answers, with what.
        seen: All that the agent may know of the row.
        root: The repository's folder; it is copied, never written to.
        records: Gets everything that the agent left, and run.json.

    Raises AgentMissingError where the agent cannot be started here at all.
    """
    clear(records)
    try:
        run = _run(trial, seen, root, records)
    except SandboxError as error:
        return AttemptResult(text="", error=f"{type(error).__name__}: {error}")
    write_atomically(records / "run.json", msgspec.json.encode(run, enc_hook=str).decode())
    text = answer_of(run.files)
    return AttemptResult(text=text, usage=usage_of(run), error="" if text else _problem(run))


def answer_of(files: Mapping[str, str]) -> str:
    """The command in run.sh, or the code in answer.py where run.sh is missing or only runs it; empty where both are."""
    command = re.sub(r"\A#![^\n]*\n?", "", files.get(COMMAND, "")).strip()
    code = files.get(CODE, "").strip()
    lines = [line.strip() for line in command.splitlines() if line.strip() and not line.strip().startswith("#")]
    if code and all(_ONLY_RUNS_CODE.fullmatch(line) or line.startswith("set -") for line in lines):
        return code
    return as_published(command)


def task_text(seen: Visible) -> str:
    """What every agent is told."""
    fields = {"github": seen.github, "folder": seen.path or ".", "instruction": seen.instruction}
    return "\n\n".join(render("bench_task", prefix_code=seen.prefix_code, **fields).values())


def usage_of(run: SubjectRun) -> Usage:
    """What it cost, as measured before the endpoint; 0 USD where the price is unknown."""
    return Usage(
        prompt_tokens=run.prompt_tokens,
        completion_tokens=run.completion_tokens,
        calls=run.calls,
        seconds=run.seconds,
        usd=run.usd or 0.0,
    )


def _run(trial: Trial, seen: Visible, root: Path, records: Path) -> SubjectRun:
    name = name_of(seen.github)
    task = SubjectTask(
        text=task_text(seen),
        endpoint=trial.endpoint,
        folder=folder_of(name, seen.path),
        limits=trial.limits,
        reply_tokens=trial.reply_tokens,
        calling=trial.calling,
    )
    with workplace(trial.place, records, trial.installed.mounts(), root, name) as sandbox:
        return trial.subject.run(task, sandbox, trial.installed, records)


def _problem(run: SubjectRun) -> str:
    if run.trouble:
        return f"the endpoint failed: {run.trouble}"
    said = run.error or (f"it ended as {run.reported.status}" if run.reported.status else "")
    return f"no answer was written ({run.ended}{': ' + said if said else ''})"
