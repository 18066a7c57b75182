"""What all other agents share: each is a Python package in an environment of its own, made on demand, and runs without questions.

`Subject.run` gets a task (`SubjectTask`) and a started sandbox that holds the repository and shows the agent's environment. The agent reaches
the model through a `Meter` on this machine, so that limits hold for each agent alike and none sees the key. What comes back is a `SubjectRun`:
how it ended, what it cost, and the files of the answer that it wrote.
"""

import json
import shlex
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

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


class Subject:
    """An agent of a Python package; a subclass says what it needs and how it is started."""

    name = ""
    version = ""
    """The version that it is pinned to."""
    needs: Needs
    """What its environment is made of."""

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """How it is started for a task."""
        raise NotImplementedError

    def install(self, home: Path, say: Say = silent) -> Installed:
        """Make its environment under `home`; repeatable. AgentMissingError with one line where it cannot be had here."""
        return install.install(home, self.name, self.needs, say)

    def find(self, home: Path) -> Installed | None:
        """Its environment under `home`, None where it is not installed."""
        return install.find(home.absolute(), self.name, self.needs)

    def run(self, task: SubjectTask, sandbox: Sandbox, installed: Installed, records: Path) -> SubjectRun:
        """Let it work; `records` gets all that is left of it. A failure of the agent is a run that says so.

        AgentMissingError only where it could not be started at all.
        """
        records.mkdir(parents=True, exist_ok=True)
        budget = Budget(task.limits)
        with Meter(task.endpoint, budget, records / "calls.jsonl", host_address(sandbox)) as meter:
            try:
                inside = _enter(sandbox, installed, meter)
                response, files = _work(task, sandbox, self.launch(task, inside), records)
            except SandboxLostError as error:
                return SubjectRun(ended="lost", usage=spent(budget.usage, budget.usage.seconds), error=str(error))
        ended, said = _ending(response, meter.refused)
        usage = msgspec.structs.replace(
            spent(budget.usage, response.seconds), calls=max(budget.usage.calls, meter.sent)
        )
        return SubjectRun(ended=ended, usage=usage, files=files, error=said, trouble=meter.trouble)


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


def _ending(response: Response, refused: str) -> tuple[Ended, str]:
    """How the agent ended, and one line about it; `refused` is the limit that a request to the model ran into."""
    if response.ended == "timeout":
        return "timeout", f"ended after {response.seconds:.0f} s"
    said = response.error_lines or tuple(response.stderr.strip().splitlines()) or (f"signal {response.signal}",)
    line = f"exit {response.exit_code}: {said[-1][:300]}"
    if response.ended == "out-of-memory":
        return "out-of-memory", line
    if refused:
        return "budget", f"the limit on {refused} was reached"
    return ("finished", "") if response.ok else ("failed", line)


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
