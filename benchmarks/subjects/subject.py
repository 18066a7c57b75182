"""The one interface of other agents, and what all of them share: installed on demand, run headless behind the meter."""

import json
import shlex
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Protocol

import msgspec

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.predictions import Ended, spent
from ml_agent.benchmarks.subjects import install
from ml_agent.benchmarks.subjects.install import Installed, Needs
from ml_agent.benchmarks.subjects.meter import Meter
from ml_agent.benchmarks.subjects.model import Inside, Launch, Say, SubjectRun, SubjectTask, silent
from ml_agent.benchmarks.subjects.places import host_address, index_variables
from ml_agent.model.budget import Budget
from ml_agent.sandbox.contract import Command, Response, Sandbox
from ml_agent.sandbox.errors import SandboxLostError

OWN = ".subject"
"""Folder of the workspace that is the agent's own: its home, what it writes down, our files."""
LOG = "output.log"
ENTER_SECONDS = 120.0
MOST_STEPS = 100
"""Where the task has no limit on requests."""
MOST_SECONDS = 3600.0
"""Where it has none on time."""
_LOOK = (
    "import ssl, sqlite3, sys, urllib.request as u;"
    "u.build_opener(u.ProxyHandler({})).open(sys.argv[1] + '/models', timeout=20).read()"
)


class Subject(Protocol):
    """An agent that the bench can run."""

    name: str
    version: str
    """The version that it is pinned to."""

    def install(self, home: Path, say: Say = silent) -> Installed:
        """Make its environment under `home`; repeatable. AgentMissingError with one line where it cannot be had here."""

    def find(self, home: Path) -> Installed | None:
        """Its environment under `home`, None where it is not installed."""

    def run(self, task: SubjectTask, sandbox: Sandbox, installed: Installed, records: Path) -> SubjectRun:
        """Work on the task in a started sandbox that shows `installed.mounts()`; `records` gets all that is left of it.

        A failure of the agent is a run that says so; AgentMissingError only where it could not be started at all.
        """


class PackagedSubject:
    """An agent of a Python package; a subclass says what it needs and how it is started."""

    name = ""
    version = ""
    needs: Needs
    """What its environment is made of."""

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """How it is started for a task."""
        raise NotImplementedError

    def install(self, home: Path, say: Say = silent) -> Installed:
        """Make its environment."""
        return install.install(home, self.name, self.needs, say)

    def find(self, home: Path) -> Installed | None:
        """Its environment where it is installed."""
        return install.find(home.absolute(), self.name, self.needs)

    def run(self, task: SubjectTask, sandbox: Sandbox, installed: Installed, records: Path) -> SubjectRun:
        """Run it."""
        records.mkdir(parents=True, exist_ok=True)
        budget = Budget(task.limits)
        with Meter(task.endpoint, budget, records / "calls.jsonl", host_address(sandbox)) as meter:
            try:
                inside = _enter(sandbox, installed, meter)
                response, files = _work(task, sandbox, self.launch(task, inside), records)
            except SandboxLostError as error:
                return SubjectRun(ended="lost", usage=spent(budget.usage, budget.usage.seconds), error=str(error))
        ended = _ending(response, meter.refused)
        usage = msgspec.structs.replace(
            spent(budget.usage, response.seconds), calls=max(budget.usage.calls, meter.sent)
        )
        return SubjectRun(
            ended=ended, usage=usage, files=files, error=_error(ended, response, meter.refused), trouble=meter.trouble
        )


def _enter(sandbox: Sandbox, installed: Installed, meter: Meter) -> Inside:
    """Make the agent's folders; see that its Python runs there and reaches the meter."""
    python = shlex.quote(str(installed.venv / "bin/python"))
    text = f"mkdir -p {OWN}/home {OWN}/records {OWN}/files && {python} -I -c {shlex.quote(_LOOK)} {meter.url} && pwd"
    response = sandbox.run(Command(text=text, timeout=ENTER_SECONDS))
    if not response.ok:
        said = (response.error_lines or tuple(response.stderr.strip().splitlines()) or ("no answer",))[-1]
        raise AgentMissingError(
            f"the agent's Python {installed.python} does not work in the {sandbox.name} sandbox: {said}"
        )
    workspace = response.stdout.strip().splitlines()[-1]
    return Inside(
        workspace=workspace,
        own=f"{workspace}/{OWN}",
        programs=str(installed.venv / "bin"),
        source=str(installed.source),
        base_url=meter.url,
        token=meter.token,
    )


def _work(task: SubjectTask, sandbox: Sandbox, launch: Launch, records: Path) -> tuple[Response, dict[str, str]]:
    """Run it to its end and bring out what it left; how it ended, and the files of the answer."""
    before = _texts(sandbox, task)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in launch.files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        sandbox.put(Path(folder), f"{OWN}/files")
    command = Command(
        text=shlex.join(launch.arguments),
        folder=task.folder,
        timeout=task.limits.seconds or MOST_SECONDS,
        environment={**index_variables(), **launch.environment},
    )
    response = sandbox.run(command)
    files = {name: text for name, text in _texts(sandbox, task).items() if before.get(name) != text}
    said = Path(response.log).read_text("utf-8", "replace") if response.log else response.stdout
    (records / LOG).write_text(said, encoding="utf-8")
    return response, files


def _texts(sandbox: Sandbox, task: SubjectTask) -> dict[str, str]:
    """The files of the answer that are there and not empty."""
    found: dict[str, str] = {}
    for name in task.writes:
        try:
            text = sandbox.get(f"{task.folder}/{name}").decode("utf-8", "replace")
        except FileNotFoundError:
            continue
        if text.strip():
            found[name] = text
    return found


def _ending(response: Response, refused: str) -> Ended:
    if response.ended in ("timeout", "out-of-memory"):
        return "timeout" if response.ended == "timeout" else "out-of-memory"
    if refused:
        return "budget"
    return "finished" if response.ok else "failed"


def _error(ended: Ended, response: Response, refused: str) -> str:
    if ended == "finished":
        return ""
    if ended == "budget":
        return f"the limit on {refused or 'calls'} was reached"
    if ended == "timeout":
        return f"ended after {response.seconds:.0f} s"
    said = response.error_lines or tuple(response.stderr.strip().splitlines())
    return (
        f"exit {response.exit_code}: {said[-1][:300]}"
        if said
        else f"exit {response.exit_code}, signal {response.signal}"
    )


def driven(name: str, task: SubjectTask, inside: Inside, environment: Mapping[str, str]) -> Launch:
    """How an agent is started by a driver of ours.

    Args:
        name: the driver's, in `drivers`.
        task: what it is told, as JSON.
        inside: where things are.
        environment: variables besides HOME.
    """
    fields = {"text": task.text, "model": task.endpoint.model, "base_url": inside.base_url}
    limits = {"steps": task.limits.calls or MOST_STEPS, "seconds": task.limits.seconds or MOST_SECONDS}
    driver = resources.files("ml_agent.benchmarks.subjects.drivers").joinpath(f"{name}.py").read_text(encoding="utf-8")
    files = {f"run_{name}.py": driver, "task.json": json.dumps({**fields, **limits})}
    return Launch(
        arguments=(f"{inside.programs}/python", *(f"{inside.files}/{file}" for file in files)),
        environment={"HOME": inside.home, **environment},
        files=files,
    )
