"""ML-Agent itself as a solver of form A: its answer, proven in a sandbox of its own, is set up and left as run.sh in the row's."""

import posixpath
import time
from pathlib import Path
from typing import Any, Literal

import msgspec

from ml_agent.benchmarks.form_a.check import SCRIPT
from ml_agent.benchmarks.form_a.row import Assignment
from ml_agent.benchmarks.predict.config import program_version
from ml_agent.benchmarks.subjects.model import SubjectRun, own_run
from ml_agent.benchmarks.subjects.places import Place, index_variables
from ml_agent.errors import AgentError
from ml_agent.job import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.sandbox.artifacts import CHOICE_OF_PYTHON
from ml_agent.sandbox.contract import Command, Sandbox
from ml_agent.sandbox.diagnosis import diagnose
from ml_agent.settings import Settings, load_settings
from ml_agent.tools.errors import ToolError

NAVIGATORS = ("offline", "llm")
SETUP, OWN = "ml-agent-setup.sh", ".ml-agent"
LOCK = "requirements.lock"
REPRODUCE = "reproduce.sh"
SETUP_SECONDS = 1800.0
_REPOSITORY = '"$work/repository"'
_CHECKOUT = ("git init -q", "git -C", "mkdir -p", "cp -a")


class Scripts(msgspec.Struct, frozen=True, kw_only=True):
    """What a run's reproduce.sh amounts to where the repository is laid already."""

    setup: str
    run: str


class OwnSolver:
    """The whole program, as `ml-agent solve` runs it, with the row's limits."""

    def __init__(self, navigator: Literal["offline", "llm"], place: Place) -> None:
        self.label = f"ml-agent {navigator} {program_version()[:8]}"
        self._navigator, self._place = navigator, place

    def mounts(self) -> tuple[Path, ...]:
        """Nothing: it works on this machine."""
        return ()

    def solve(self, assignment: Assignment, sandbox: Sandbox, records: Path) -> SubjectRun:
        """Solve, then set up and leave run.sh."""
        records.mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        folder = new_run(records, records / "run", {})
        seen = assignment.seen
        job = Job(
            instruction=seen.instruction,
            repository=str(assignment.root),
            path="" if seen.path == "." else seen.path,
            prefix_code=seen.prefix_code,
        )
        try:
            result = run_job(job, self._settings(assignment), folder)
        except (AgentError, ToolError) as error:
            return self._finish({}, records, began, f"{type(error).__name__}: {error}")
        problem = "" if result["answer"] else f"{result['ending']}: {result['message']}"
        if not problem and (folder.path / REPRODUCE).is_file():
            problem = self._leave(assignment, sandbox, folder.path)
        return self._finish(result, records, began, problem)

    def _settings(self, assignment: Assignment) -> Settings:
        task, limits = assignment.task, assignment.task.limits
        return load_settings(
            navigator=self._navigator,
            model=task.endpoint.model or None,
            base_url=task.endpoint.base_url,
            api_key=task.endpoint.api_key or None,
            sandbox=self._place.sandbox,
            unisolated=self._place.unisolated,
            network="install" if task.installs else "none",
            max_calls=limits.calls,
            max_tokens=limits.tokens,
            max_cost=limits.usd,
            max_seconds=limits.seconds,
        )

    def _leave(self, assignment: Assignment, sandbox: Sandbox, run: Path) -> str:
        """Set up in the row's sandbox and put run.sh there; says what went wrong."""
        task = assignment.task
        up = posixpath.relpath(assignment.name, task.folder)
        scripts = split((run / REPRODUCE).read_text(encoding="utf-8"), up)
        made = {SETUP: scripts.setup, SCRIPT: scripts.run}
        for name, text in made.items():
            (run / name).write_text(text, encoding="utf-8")
            sandbox.put(run / name, f"{task.folder}/{name}")
        if (run / LOCK).is_file():
            sandbox.put(run / LOCK, f"{assignment.name}/{OWN}/{LOCK}")
        variables = index_variables() if task.installs else {}
        response = sandbox.run(
            Command(text=f"bash {SETUP}", folder=task.folder, timeout=SETUP_SECONDS, environment=variables)
        )
        return "" if response.ok else f"set-up: {diagnose(response).message}"

    def _finish(self, result: dict[str, Any], records: Path, began: float, error: str) -> SubjectRun:
        return own_run(self.label, result, records, time.monotonic() - began, error)


def split(reproduce: str, up: str) -> Scripts:
    """A reproduce.sh as two scripts that stand in the task's folder, the repository being there.

    Args:
        reproduce: Its text; see `sandbox.artifacts`.
        up: The way from the task's folder to the repository's root.
    """
    head = ["#!/usr/bin/env bash", "set -euo pipefail", f'root=$(cd "$(dirname "$0")/{up}" && pwd)']
    head += [f'here="$root/{OWN}" work="$root/{OWN}"', 'mkdir -p "$work/home"']
    lines = reproduce.replace(_REPOSITORY, '"$root"').splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(CHOICE_OF_PYTHON))
    end = next(n for n, line in enumerate(lines) if n > start and line.startswith('cd "$root"'))
    path = next(line for line in lines if line.startswith("export PATH="))
    kept = [line for line in lines[start:end] if not line.startswith(_CHECKOUT)]
    return Scripts(setup="\n".join([*head, *kept]) + "\n", run="\n".join([*head, path, *lines[end:]]) + "\n")
