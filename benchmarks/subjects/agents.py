"""The agents that are compared: how each is installed and started, and what its own records say.

SWE-agent has no package in the index: `ml-agent bench agents install swe-agent --from DIR` takes a checkout. `least` needs no package
at all, and shows whether agents can work on a machine.
"""

import json
from pathlib import Path

from ml_agent.benchmarks.errors import AgentMissingError, BenchError
from ml_agent.benchmarks.subjects.install import Installed, Needs
from ml_agent.benchmarks.subjects.model import Inside, Launch, SubjectRun, SubjectTask
from ml_agent.benchmarks.subjects.subject import Subject, driven
from ml_agent.sandbox.contract import Sandbox
from ml_agent.settings import load_settings
from ml_agent.tools import plugins
from ml_agent.tools.errors import PluginError

ANY_PYTHON = ((3, 12), (3, 11), (3, 13), (3, 10))


def _litellm(inside: Inside, **more: str) -> dict[str, str]:
    """Variables for agents that reach the model by litellm, which would else fetch its table of prices."""
    given = {"HOME": inside.home, "OPENAI_API_KEY": inside.token, "OPENAI_API_BASE": inside.base_url}
    return {**given, "LITELLM_LOCAL_MODEL_COST_MAP": "True", **more}


def _version(package: str, *modules: str) -> str:
    """Python code that prints the version of a package whose modules can be imported."""
    return f"import {', '.join(modules)}; from importlib.metadata import version; print(version('{package}'))"


class MiniSweAgent(Subject):
    """Its command line `mini`, without questions, in the sandbox's own shell (https://github.com/SWE-agent/mini-swe-agent)."""

    name, version = "mini-swe-agent", "2.4.6"

    needs = Needs(
        requirements=(f"mini-swe-agent=={version}", "mcp"),  # litellm imports mcp without asking for it
        pythons=ANY_PYTHON,
        check=_version("mini-swe-agent", "litellm", "mcp", "minisweagent"),
    )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """`mini -y`; its own limits are the bench's, so that it ends by itself where it can."""
        arguments = [f"{inside.programs}/mini", "-y", "--exit-immediately", "-l", str(task.limits.usd or 0)]
        arguments += ["-m", f"openai/{task.endpoint.model}", "-t", task.text]
        arguments += ["-c", "mini.yaml", "-c", f"model.model_kwargs.api_base={inside.base_url}"]
        arguments += ["-c", f"agent.step_limit={task.limits.calls or 0}"]
        quiet = {"MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors", "MSWEA_SILENT_STARTUP": "1"}
        return Launch(
            arguments=tuple(arguments),
            environment=_litellm(inside, MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT="3", **quiet),
        )


class Aider(Subject):
    """A pair programmer: one message, every question answered yes, whole-file edits (https://github.com/Aider-AI/aider)."""

    name, version = "aider", "0.86.2"
    start = (
        "git init -q . && git add -A -f . && git -c user.name=bench -c user.email=bench@localhost commit -q --allow-empty -m x"
        ' && exec "$0" "$@"'
    )
    """It names files by their path from the repository's root, models by what the task calls them: so the task's folder is the root."""

    needs = Needs(
        requirements=(f"aider-chat=={version}",),
        pythons=((3, 12), (3, 11), (3, 10)),  # it refuses Python 3.13
        check=_version("aider-chat", "aider"),
    )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """The files of the answer are in the chat; the rest it sees by its repository map and may ask for."""
        arguments = ["bash", "-c", self.start, f"{inside.programs}/aider", "--model", f"openai/{task.endpoint.model}"]
        arguments += ["--message", task.text, "--yes-always", "--no-stream", "--no-pretty", "--edit-format", "whole"]
        arguments += ["--no-auto-commits", "--no-gitignore", "--no-suggest-shell-commands", "--no-detect-urls"]
        arguments += ["--no-check-update", "--no-show-model-warnings", "--no-show-release-notes", "--analytics-disable"]
        for name in ("chat", "input"):  # else they stand in the repository
            arguments += [f"--{name}-history-file", f"{inside.home}/aider.{name}.history"]
        return Launch(arguments=(*arguments, *task.writes), environment=_litellm(inside, AIDER_ANALYTICS="false"))


class AutoGen(Subject):
    """AgentChat, a library: an assistant with a bash tool, see drivers/autogen.py (https://github.com/microsoft/autogen)."""

    name, version = "autogen", "0.7.5"

    needs = Needs(
        requirements=(f"autogen-agentchat=={version}", f"autogen-ext[openai]=={version}"),
        pythons=ANY_PYTHON,
        check="import autogen_agentchat, autogen_ext.models.openai; print(autogen_agentchat.__version__)",
    )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """Our driver."""
        return driven(self.name, task, inside, {"OPENAI_API_KEY": inside.token})


class OpenHands(Subject):
    """Its SDK with the default agent: terminal, file editor, task tracker, no browser; see drivers/openhands.py."""

    name, version = "openhands", "1.58.0"

    needs = Needs(
        requirements=(f"openhands-sdk=={version}", f"openhands-tools=={version}"),
        pythons=((3, 12), (3, 13)),  # on 3.11 pip would take an empty package of an old version for some of its names
        check=_version("openhands-sdk", "openhands.sdk", "openhands.tools"),
    )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """Our driver."""
        environment = {"LLM_API_KEY": inside.token, "OPENHANDS_SUPPRESS_BANNER": "1"}
        environment["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        return driven(self.name, task, inside, environment)


class SweAgent(Subject):
    """`sweagent run` with its default configuration, from a checkout (https://github.com/SWE-agent/SWE-agent).

    Its "local" deployment runs commands on the machine that it runs on, which here is the sandbox; it keeps files of its own in /root.
    """

    name, version = "swe-agent", "1.1.0"
    output = "records/swe-agent"
    start = 'touch /root/.bashrc && exec "$0" "$@"'

    def __init__(self, checkout: Path | None = None) -> None:
        self.needs = Needs(
            requirements=("mcp",),
            pythons=((3, 12), (3, 11)),
            check="import litellm, mcp, sweagent; print(sweagent.__version__)",
            source=checkout,  # it finds its tools and configurations beside its package, so it is installed in place
            wants_source=True,
        )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """Our settings lie over its own in a second file; a JSON document is a YAML document."""
        arguments = ["bash", "-c", self.start, f"{inside.programs}/sweagent", "run"]
        arguments += ["--config", f"{inside.source}/config/default.yaml", "--config", f"{inside.files}/settings.yaml"]
        environment = _litellm(inside, SWE_AGENT_TRAJECTORY_DIR=f"{inside.own}/records")
        files = {"settings.yaml": json.dumps(self._settings(task, inside))}
        return Launch(arguments=tuple(arguments), environment=environment, files=files)

    def run(self, task: SubjectTask, sandbox: Sandbox, installed: Installed, records: Path) -> SubjectRun:
        """Run it where /root is not this machine's own."""
        if not sandbox.isolated:
            raise AgentMissingError(
                f"{self.name} writes to /root, so it runs only in a sandbox: leave out --unisolated"
            )
        return super().run(task, sandbox, installed, records)

    def _settings(self, task: SubjectTask, inside: Inside) -> dict[str, object]:
        folder = inside.workspace if task.folder == "." else f"{inside.workspace}/{task.folder}"
        model = {
            "name": f"openai/{task.endpoint.model}",
            "api_base": inside.base_url,
            "total_cost_limit": 0,
            "per_instance_cost_limit": task.limits.usd or 0,
            "per_instance_call_limit": task.limits.calls or 0,
            "temperature": task.endpoint.temperature,
            "retry": {"retries": 3, "min_wait": 1, "max_wait": 10},
        }
        repository = {"type": "preexisting", "repo_name": folder.lstrip("/"), "reset": False}
        return {
            "agent": {"model": model},
            "env": {"deployment": {"type": "local"}, "repo": repository},
            "problem_statement": {"type": "text", "text": task.text, "id": "task"},
            "output_dir": f"{inside.own}/{self.output}",
        }


class LeastAgent(Subject):
    """One bash tool in a loop, without any package; see drivers/least.py."""

    name, version = "least", "1"

    needs = Needs(requirements=(), pythons=ANY_PYTHON, check="print(1)")

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """Its driver."""
        return driven(self.name, task, inside, {"OPENAI_API_KEY": inside.token})


_PACKAGED = (MiniSweAgent, Aider, AutoGen, OpenHands, SweAgent)


def names() -> tuple[str, ...]:
    """All that are compared."""
    return (*(kind.name for kind in _PACKAGED), *plugins.names(plugins.AGENTS))


def subject(name: str, checkout: Path | None = None) -> Subject:
    """The subject of that name; BenchError names the others.

    Args:
        name: One of `names()`, or `least`, which needs no package and shows whether agents can work on this machine at all.
        checkout: For an agent that is installed from one; not needed once it is installed.
    """
    if name == SweAgent.name:
        return SweAgent(checkout)
    for kind in (*_PACKAGED, LeastAgent):
        if kind.name == name:
            return kind()
    if name not in plugins.names(plugins.AGENTS):
        raise BenchError(f"there is no agent {name}: choose one of {', '.join((*names(), LeastAgent.name))}")
    whose = plugins.made_by(plugins.AGENTS, name)
    try:
        made = plugins.load(plugins.AGENTS, name)()
    except PluginError:
        raise
    except Exception as error:  # code of others: whatever it raises, the reader needs to know whose it is
        raise PluginError(f"the agent {name!r} of {whose} cannot be made: {type(error).__name__}: {error}") from error
    if not isinstance(made, Subject):
        raise PluginError(f"the agent {name!r} of {whose} is no ml_agent.benchmarks.subjects.subject.Subject")
    return made


def find_agent(name: str) -> tuple[Subject, Installed]:
    """An agent and its environment; AgentMissingError where it is not installed."""
    found = subject(name)
    installed = found.find(agents_home())
    if installed is None:
        raise AgentMissingError(f"the agent {name} is not installed: run `ml-agent bench agents install {name}`")
    return found, installed


def agents_home() -> Path:
    """Where agents are installed."""
    return (load_settings().cache_dir / "agents").absolute()


def statuses() -> list[tuple[str, ...]]:
    """All subjects: name, version, how they stand here, and of those that are installed the Python and the folder."""
    return [_status(name) for name in (*names(), LeastAgent.name)]


def _status(name: str) -> tuple[str, ...]:
    try:
        found = subject(name)
    except PluginError as error:  # the others stand as they do
        return name, "", str(error), "", ""
    here = found.find(agents_home())
    return (
        found.name,
        found.version,
        *(("installed", here.python, str(here.folder)) if here else ("not installed", "", "")),
    )
