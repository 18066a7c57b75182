"""Who does rows, and under which terms: ML-Agent itself, or another agent in a sandbox that holds the repository.

The three forms build on this: each makes an `Assignment` of its row, lets the agent work on it (`at_work`), judges what the agent left,
and does all that again where the infrastructure fails it (`with_tries`).
"""

import functools
import hashlib
import json
import posixpath
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

import ml_agent
import ml_agent.prompts
import ml_agent.tools
from ml_agent.benchmarks.data import Visible
from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.predictions import Usage
from ml_agent.benchmarks.results import ResultT, Series
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.model import SubjectRun, SubjectTask
from ml_agent.benchmarks.subjects.places import Place, clear, index_variables, lay, open_place
from ml_agent.benchmarks.subjects.subject import Subject
from ml_agent.endings import Ending
from ml_agent.errors import AgentError
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from ml_agent.request import Job
from ml_agent.runs import new_run
from ml_agent.sandbox.artifacts import CHOICE_OF_PYTHON
from ml_agent.sandbox.contract import Command, Sandbox
from ml_agent.sandbox.diagnosis import diagnose
from ml_agent.sandbox.errors import SandboxError
from ml_agent.sandbox.interpreters import find_interpreters
from ml_agent.sandbox.uv_program import uv_program
from ml_agent.settings import Settings, load_settings
from ml_agent.tools.errors import ToolError

NavigatorName = Literal["offline", "llm"]
"""Of ML-Agent itself, without a model or with one."""
SCRIPT, CLAIM = "run.sh", "claim.txt"
LIMITS = {
    "L": Limits(calls=30, seconds=900.0),
    "A": Limits(calls=10, seconds=1800.0),
    "D": Limits(calls=40, seconds=1800.0),
}
"""Of one try, by form; ten requests, as in OpenHands' run_infer.sh (`--max-iterations 10`)."""
LOOK_SECONDS = 60.0
SETUP_SECONDS = 1800.0
SETUP, OWN, LOCK, REPRODUCE = "ml-agent-setup.sh", ".ml-agent", "requirements.lock", "reproduce.sh"
_CHECKOUT = ("git init -q", "git -C", "mkdir -p", "cp -a")


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """How rows are done, the same for every agent."""

    endpoint: Endpoint
    """Without its key: each process takes that from its environment."""
    limits: Limits
    """Of one try."""
    place: Place = Place()
    tries: int = 3
    """How often a row is begun where the infrastructure fails it."""

    def config(self, *who: str) -> str:
        """Changes with everything that shapes a result; the endpoint's key and address are no part of it."""
        rest = msgspec.to_builtins([self.limits, self.place], enc_hook=str)
        shaping = [*who, self.endpoint.model, self.endpoint.temperature, rest]
        return hashlib.sha256(json.dumps(shaping, sort_keys=True).encode()).hexdigest()[:16]


class Assignment(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent is to do."""

    seen: Visible
    """All that may be known of the row."""
    root: Path
    """The repository on this machine; only read."""
    told: Callable[[str], str]
    """What another agent is told, from the path of the task's folder in the workspace."""
    writes: tuple[str, ...]
    """Files that hold the answer."""
    name: str
    """The repository's folder in the workspace."""

    @property
    def folder(self) -> str:
        """The task's folder in the workspace."""
        return posixpath.normpath(posixpath.join(self.name, self.seen.path))


class Agent(Protocol):
    """Whoever does rows."""

    label: str

    def mounts(self) -> tuple[Path, ...]:
        """Folders of this machine that its sandbox must show."""

    def solve(self, job: Assignment, terms: Terms, sandbox: Sandbox | None, records: Path) -> SubjectRun:
        """Do the row in a started sandbox that holds the repository; ML-Agent does without one, and leaves a run.sh where there is one.

        Raises SandboxError where the sandbox fails, AgentMissingError where the agent cannot be started in it.
        """


class PeerAgent:
    """Another agent: it works in the row's sandbox, which shows its environment."""

    def __init__(self, subject: Subject, installed: Installed) -> None:
        self.label = f"{subject.name} {installed.version}"
        self.subject, self.installed = subject, installed

    def mounts(self) -> tuple[Path, ...]:
        """Its environment, uv, and the interpreters that a sandbox can show under their own names."""
        prefixes = (one.prefix for one in find_interpreters() if not one.prefix.is_relative_to("/usr"))
        return tuple(dict.fromkeys((*self.installed.mounts(), uv_program(), *prefixes)))

    def solve(self, job: Assignment, terms: Terms, sandbox: Sandbox | None, records: Path) -> SubjectRun:
        """Run it; one word in claim.txt is its claim."""
        assert sandbox is not None
        workspace = sandbox.run(Command(text="pwd", timeout=LOOK_SECONDS)).stdout.strip()
        if not workspace:
            raise AgentMissingError(f"`pwd` prints nothing in the {sandbox.name} sandbox")
        task = SubjectTask(
            text=job.told(f"{workspace}/{job.folder}"),
            endpoint=with_key(terms.endpoint),
            folder=job.folder,
            writes=job.writes,
            limits=terms.limits,
        )
        run = self.subject.run(task, sandbox, self.installed, records)
        word = run.files.get(CLAIM, "").strip().lower()
        return msgspec.structs.replace(run, claim={"done": True, "failed": False}.get(word))


class OwnAgent:
    """The whole program, as `ml-agent solve` runs it, on this machine; it is told the instruction and the repository's folder."""

    def __init__(self, navigator: NavigatorName) -> None:
        self.label = f"ml-agent {navigator} {program_version()[:8]}"
        self._navigator = navigator

    def mounts(self) -> tuple[Path, ...]:
        """Nothing: it works on this machine."""
        return ()

    def solve(self, job: Assignment, terms: Terms, sandbox: Sandbox | None, records: Path) -> SubjectRun:
        """Solve; where there is a sandbox, the proven answer is set up in it and left as run.sh."""
        from ml_agent.run_job import (
            run_job,  # langgraph takes half a second in each process that does other agents' rows
        )

        records.mkdir(parents=True, exist_ok=True)
        began, folder, seen = time.monotonic(), new_run(records, records / "run", {}), job.seen
        path = "" if seen.path == "." else seen.path
        asked = Job(instruction=seen.instruction, repository=str(job.root), path=path, prefix_code=seen.prefix_code)
        try:
            result = run_job(asked, settings_of(self._navigator, terms), folder)
        except SandboxError:
            raise
        except (AgentError, ToolError) as problem:
            usage = Usage(seconds=round(time.monotonic() - began, 3))
            return SubjectRun(ended="failed", usage=usage, error=f"{type(problem).__name__}: {problem}")
        ending = Ending.named(result["ending"])
        claim = None if ending in (Ending.BUDGET, Ending.MODEL_GONE) else ending.exit_code == 0
        error = "" if claim else f"{ending.label}: {result['message']}"
        if sandbox is not None and result["answer"] and (folder.path / REPRODUCE).is_file():
            error = _leave(job, sandbox, folder.path) or error
        return SubjectRun(
            ended="failed" if error else "finished",
            usage=_own_usage(result, time.monotonic() - began),
            claim=claim,
            error=error,
            trouble=error if ending is Ending.MODEL_GONE else "",
        )


def settings_of(navigator: NavigatorName, terms: Terms) -> Settings:
    """The settings by which ML-Agent itself keeps to the terms; the key is the environment's where they have none."""
    limits, endpoint, place = terms.limits, terms.endpoint, terms.place
    return load_settings(
        navigator=navigator,
        model=endpoint.model or None,
        base_url=endpoint.base_url,
        api_key=endpoint.api_key or None,
        sandbox=place.sandbox,
        unisolated=place.unisolated,
        image=place.image or "",
        network="install",
        max_calls=limits.calls,
        max_tokens=limits.tokens,
        max_cost=limits.usd,
        max_seconds=limits.seconds,
    )


def _own_usage(result: dict[str, Any], seconds: float) -> Usage:
    """What a run of ML-Agent says of itself in its run.json."""
    names = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens")
    counts = {name: result["budget"].get(name, 0) for name in names}
    return Usage(**counts, seconds=round(seconds, 3), usd=result.get("usd", 0.0))


def _leave(job: Assignment, sandbox: Sandbox, run: Path) -> str:
    """Set up in the row's sandbox and put run.sh there; says what went wrong."""
    setup, script = split((run / REPRODUCE).read_text(encoding="utf-8"), posixpath.relpath(job.name, job.folder))
    for name, text in {SETUP: setup, SCRIPT: script}.items():
        (run / name).write_text(text, encoding="utf-8")
        sandbox.put(run / name, f"{job.folder}/{name}")
    if (run / LOCK).is_file():
        sandbox.put(run / LOCK, f"{job.name}/{OWN}/{LOCK}")
    response = sandbox.run(
        Command(text=f"bash {SETUP}", folder=job.folder, timeout=SETUP_SECONDS, environment=index_variables())
    )
    return "" if response.ok else f"set-up: {diagnose(response).message}"


def split(reproduce: str, up: str) -> tuple[str, str]:
    """A reproduce.sh as two scripts, set-up and run, that stand in the task's folder, the repository being there.

    Args:
        reproduce: Its text; see `sandbox.artifacts`.
        up: The way from the task's folder to the repository's root.
    """
    head = ["#!/usr/bin/env bash", "set -euo pipefail", f'root=$(cd "$(dirname "$0")/{up}" && pwd)']
    head += [f'here="$root/{OWN}" work="$root/{OWN}"', 'mkdir -p "$work/home"']
    lines = reproduce.replace('"$work/repository"', '"$root"').splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(CHOICE_OF_PYTHON))
    end = next(n for n, line in enumerate(lines) if n > start and line.startswith('cd "$root"'))
    path = next(line for line in lines if line.startswith("export PATH="))
    kept = [line for line in lines[start:end] if not line.startswith(_CHECKOUT)]
    return "\n".join([*head, *kept]) + "\n", "\n".join([*head, path, *lines[end:]]) + "\n"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Who does rows, and where results go."""

    agent: Agent
    terms: Terms
    out: Path
    """Folder: the results, and records/ with what agents left."""
    file: str = "rows.jsonl"
    """Of the results, in that folder. Several agents may share it, one after the other."""

    def series(self, kind: type[ResultT]) -> Series[ResultT]:
        """Its results."""
        who = self.agent.label
        config = self.terms.config(who)
        return Series(file=self.out / self.file, kind=kind, config=config, who=who, model=self.terms.endpoint.model)


def with_tries(done: ResultT, terms: Terms, records: Path, attempt: Callable[[ResultT, Path], ResultT]) -> ResultT:
    """Do a row, again where the infrastructure fails; `records` gets one folder a try, and the cost of every try counts."""
    for number in range(1, terms.tries + 1):
        done = msgspec.structs.replace(done, tries=number, infrastructure="", error="")
        folder = records / f"try-{number}"
        clear(folder)
        try:
            done = attempt(done, folder)
        except Exception as error:  # noqa: BLE001 - a full disk or a defect in one row must not stop the others; it is the row's
            done = msgspec.structs.replace(done, infrastructure=f"{type(error).__name__}: {error}")
        if not done.infrastructure:
            break
    return done


@contextmanager
def at_work(agent: Agent, job: Assignment, terms: Terms, records: Path) -> Iterator[tuple[SubjectRun, Sandbox]]:
    """The agent's run, in a sandbox that stays open for what is made of it."""
    sandbox = open_place(terms.place, records / "sandbox", agent.mounts())
    sandbox.start()
    try:
        lay(sandbox, job.root, job.name)
        yield agent.solve(job, terms, sandbox, records), sandbox
    finally:
        sandbox.stop()


def accounted(done: ResultT, run: SubjectRun) -> ResultT:
    """The result so far, with what a run says of itself and what it cost."""
    lost = f"the sandbox is gone: {run.error}" if run.ended == "lost" else ""
    return msgspec.structs.replace(
        done, ended=run.ended, claim=run.claim, error=run.error, infrastructure=run.trouble or lost,
        usage=done.usage.plus(run.usage),
    )  # fmt: skip


def record_of(folder: Path) -> Path | None:
    """What a person reads of a try whose folder of records this is: the run's page, its requests, or its output."""
    names = ("run/report.html", "calls.jsonl", "output.log")
    return next((path for name in names if (path := folder / name).is_file()), None)


def with_key(endpoint: Endpoint) -> Endpoint:
    """The same with the key of this process's environment."""
    key = endpoint.api_key or load_settings().api_key.get_secret_value()
    return msgspec.structs.replace(endpoint, api_key=key)


@functools.cache
def program_version() -> str:
    """Hash of the sources that make answers."""
    digest = hashlib.sha256()
    for root in (Path(package.__path__[0]) for package in (ml_agent, ml_agent.tools, ml_agent.prompts)):
        for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".toml", ".j2", ".txt", ".md")):
            if not {"samples", "testing", "cli"} & set(path.parts):
                digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
