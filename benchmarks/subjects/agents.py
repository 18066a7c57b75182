"""The agents that are compared: how each is installed and started, and what its own records say.

SWE-agent has no package in the index: `ml-agent bench agents install swe-agent --from DIR` takes a checkout. `least` needs no package
at all, and shows whether agents can work on a machine.
"""

import json
import re
from pathlib import Path
from typing import Any

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.subjects.install import Installed, Needs
from ml_agent.benchmarks.subjects.model import Inside, Launch, Reported, SubjectRun, SubjectTask
from ml_agent.benchmarks.subjects.records import read_json, read_record
from ml_agent.benchmarks.subjects.subject import PackagedSubject, driven
from ml_agent.sandbox.contract import Sandbox

ANY_PYTHON = ((3, 12), (3, 11), (3, 13), (3, 10))


def _litellm(inside: Inside, **more: str) -> dict[str, str]:
    """Variables for agents that reach the model by litellm, which would else fetch its table of prices."""
    given = {"HOME": inside.home, "OPENAI_API_KEY": inside.token, "OPENAI_API_BASE": inside.base_url}
    return {**given, "LITELLM_LOCAL_MODEL_COST_MAP": "True", **more}


def _version(package: str, *modules: str) -> str:
    """Python code that prints the version of a package whose modules can be imported."""
    return f"import {', '.join(modules)}; from importlib.metadata import version; print(version('{package}'))"


class MiniSweAgent(PackagedSubject):
    """Its command line `mini`, without questions, in the sandbox's own shell (https://github.com/SWE-agent/mini-swe-agent)."""

    name, version = "mini-swe-agent", "2.4.6"
    trajectory = "records/run.traj.json"

    @property
    def needs(self) -> Needs:
        """litellm imports mcp without asking for it."""
        return Needs(
            requirements=(f"mini-swe-agent=={self.version}", "mcp"),
            pythons=ANY_PYTHON,
            check=_version("mini-swe-agent", "litellm", "mcp", "minisweagent"),
        )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """`mini -y`; its own limits are the bench's, so that it ends by itself where it can."""
        arguments = [f"{inside.programs}/mini", "-y", "--exit-immediately", "-l", str(task.limits.usd or 0)]
        arguments += ["-m", f"openai/{task.endpoint.model}", "-t", task.text, "-o", f"{inside.own}/{self.trajectory}"]
        arguments += ["-c", "mini.yaml", "-c", f"model.model_kwargs.api_base={inside.base_url}"]
        arguments += ["-c", f"agent.step_limit={task.limits.calls or 0}"]
        quiet = {"MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors", "MSWEA_SILENT_STARTUP": "1"}
        return Launch(
            arguments=tuple(arguments),
            environment=_litellm(inside, MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT="3", **quiet),
        )

    def read(self, left: Path) -> Reported:
        """Its .traj.json."""
        return read_mini_trajectory(left, self.trajectory)


def read_mini_trajectory(left: Path, name: str) -> Reported:
    """Status, calls, cost and tokens of a trajectory of format mini-swe-agent-1.x."""
    whole = read_json(left / name)
    info = whole["info"]
    extras = [message.get("extra") or {} for message in whole.get("messages", [])]
    used = [usage for extra in extras if (usage := (extra.get("response") or {}).get("usage"))]
    status = str(info.get("exit_status") or "")
    stats = info.get("model_stats") or {}
    return Reported(
        status=status,
        limited=status in ("LimitsExceeded", "TimeExceeded"),
        calls=stats.get("api_calls"),
        prompt_tokens=sum(int(u.get("prompt_tokens") or 0) for u in used) if used else None,
        completion_tokens=sum(int(u.get("completion_tokens") or 0) for u in used) if used else None,
        usd=stats.get("instance_cost") or None,  # it writes 0.0 for a model whose price it does not know
        answer=str(info.get("submission") or ""),
        trajectory=name,
    )


class Aider(PackagedSubject):
    """A pair programmer: one message, every question answered yes, whole-file edits (https://github.com/Aider-AI/aider)."""

    name, version = "aider", "0.86.2"
    history = "records/aider.chat.history.md"
    start = (
        "git init -q . && git add -A -f . && git -c user.name=bench -c user.email=bench@localhost commit -q --allow-empty -m x"
        ' && exec "$0" "$@"'
    )
    """It names files by their path from the repository's root, models by what the task calls them: so the task's folder is the root."""

    @property
    def needs(self) -> Needs:
        """It refuses Python 3.13."""
        return Needs(
            requirements=(f"aider-chat=={self.version}",),
            pythons=((3, 12), (3, 11), (3, 10)),
            check=_version("aider-chat", "aider"),
        )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """The files of the answer are in the chat; the rest it sees by its repository map and may ask for."""
        arguments = ["bash", "-c", self.start, f"{inside.programs}/aider", "--model", f"openai/{task.endpoint.model}"]
        arguments += ["--message", task.text, "--yes-always", "--no-stream", "--no-pretty", "--edit-format", "whole"]
        arguments += ["--no-auto-commits", "--no-gitignore", "--no-suggest-shell-commands", "--no-detect-urls"]
        arguments += ["--no-check-update", "--no-show-model-warnings", "--no-show-release-notes", "--analytics-disable"]
        arguments += ["--chat-history-file", f"{inside.own}/{self.history}"]
        arguments += ["--input-history-file", f"{inside.own}/records/aider.input.history"]
        arguments += ["--llm-history-file", f"{inside.own}/records/aider.llm.history", *task.writes]
        return Launch(arguments=tuple(arguments), environment=_litellm(inside, AIDER_ANALYTICS="false"))

    def read(self, left: Path) -> Reported:
        """Its .aider.chat.history.md, where each reply is followed by a line with its tokens, rounded to tenths of thousands."""
        text = read_record(left / self.history)
        counts = re.findall(r"Tokens: ([\d.,]+)(k?) sent.*?([\d.,]+)(k?) received", text, re.DOTALL)
        costs = re.findall(r"Cost: \$[\d.]+ message, \$([\d.]+) session", text)
        replies = [part for part in re.split(r"^####.*$|^>.*$", text, flags=re.MULTILINE) if part.strip()]
        return Reported(
            calls=len(counts) or None,
            prompt_tokens=sum(_thousands(sent, k) for sent, k, _, _ in counts) if counts else None,
            completion_tokens=sum(_thousands(received, k) for _, _, received, k in counts) if counts else None,
            usd=float(costs[-1]) if costs else None,
            answer=replies[-1].strip() if replies else "",
            trajectory=self.history,
        )


def _thousands(text: str, sign: str) -> int:
    return round(float(text.replace(",", "")) * (1000 if sign else 1))


class AutoGen(PackagedSubject):
    """AgentChat, a library: an assistant with a bash tool, see drivers/autogen.py (https://github.com/microsoft/autogen)."""

    name, version = "autogen", "0.7.5"
    messages = "records/messages.json"

    @property
    def needs(self) -> Needs:
        """Two packages of one version."""
        return Needs(
            requirements=(f"autogen-agentchat=={self.version}", f"autogen-ext[openai]=={self.version}"),
            pythons=ANY_PYTHON,
            check="import autogen_agentchat, autogen_ext.models.openai; print(autogen_agentchat.__version__)",
        )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """Our driver."""
        return driven(self.name, task, inside, [self.messages], {"OPENAI_API_KEY": inside.token})

    def read(self, left: Path) -> Reported:
        """The messages that our driver wrote; every one of the assistant's carries its tokens."""
        whole = read_json(left / self.messages)
        messages = whole["messages"]
        used = [usage for message in messages if (usage := message.get("models_usage"))]
        texts = [m["content"] for m in messages if m.get("source") == "coder" and isinstance(m.get("content"), str)]
        reason = str(whole.get("stop_reason") or "")
        return Reported(
            status=reason,
            limited="Maximum number of turns" in reason,
            calls=len(used),
            prompt_tokens=sum(usage["prompt_tokens"] for usage in used),
            completion_tokens=sum(usage["completion_tokens"] for usage in used),
            answer=texts[-1] if texts else "",
            trajectory=self.messages,
        )


class OpenHands(PackagedSubject):
    """Its SDK with the default agent: terminal, file editor, task tracker, no browser; see drivers/openhands.py."""

    name, version = "openhands", "1.58.0"
    result, events = "records/openhands.json", "records/conversation"

    @property
    def needs(self) -> Needs:
        """Not on Python 3.11, where pip would take an empty package of an old version for some of its names."""
        return Needs(
            requirements=(f"openhands-sdk=={self.version}", f"openhands-tools=={self.version}"),
            pythons=((3, 12), (3, 13)),
            check=_version("openhands-sdk", "openhands.sdk", "openhands.tools"),
        )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """Our driver."""
        environment = {"LLM_API_KEY": inside.token, "OPENHANDS_SUPPRESS_BANNER": "1"}
        environment["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        return driven(self.name, task, inside, [self.result, self.events], environment)

    def read(self, left: Path) -> Reported:
        """What our driver wrote, and its conversation's events."""
        result = read_json(left / self.result)
        paths = sorted((left / self.events).rglob("events/event-*.json"), key=lambda path: path.name)
        events = [read_json(path) for path in paths]
        return Reported(
            status=str(result["status"]),
            limited=any(event.get("code") == "MaxIterationsReached" for event in events),
            calls=result["calls"],
            prompt_tokens=result["prompt_tokens"],
            completion_tokens=result["completion_tokens"],
            usd=result["accumulated_cost"] or None,
            answer=_last_words(events),
            trajectory=self.events,
        )


def _last_words(events: list[dict[str, Any]]) -> str:
    """The message of the finish tool, else the agent's last message."""
    for event in reversed(events):
        if event.get("source") != "agent":
            continue
        if event.get("tool_name") == "finish" and isinstance(event.get("action"), dict):
            return str(event["action"].get("message") or "")
        if isinstance(event.get("llm_message"), dict):
            parts = event["llm_message"].get("content") or []
            return "\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))
    return ""


class SweAgent(PackagedSubject):
    """`sweagent run` with its default configuration, from a checkout (https://github.com/SWE-agent/SWE-agent).

    Its "local" deployment runs commands on the machine that it runs on, which here is the sandbox; it keeps files of its own in /root.
    """

    name, version = "swe-agent", "1.1.0"
    output = "records/swe-agent"
    start = 'touch /root/.bashrc && exec "$0" "$@"'

    def __init__(self, checkout: Path | None = None) -> None:
        self._checkout = checkout

    @property
    def needs(self) -> Needs:
        """It finds its tools and configurations beside its package, so it is installed in place."""
        check = "import litellm, mcp, sweagent; print(sweagent.__version__)"
        return Needs(
            requirements=("mcp",), pythons=((3, 12), (3, 11)), check=check, source=self._checkout, wants_source=True
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
            raise AgentMissingError(f"{self.name} writes to /root: it runs in a container or a namespace only")
        return super().run(task, sandbox, installed, records)

    def read(self, left: Path) -> Reported:
        """Its .traj."""
        return read_swe_trajectory(left, f"{self.output}/task/task.traj")

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


def read_swe_trajectory(left: Path, name: str) -> Reported:
    """Status, calls, cost and tokens of a SWE-agent trajectory."""
    info = read_json(left / name)["info"]
    stats = info.get("model_stats") or {}
    status = str(info.get("exit_status") or "")
    return Reported(
        status=status,
        limited="exit_cost" in status,
        calls=stats.get("api_calls"),
        prompt_tokens=stats.get("tokens_sent"),
        completion_tokens=stats.get("tokens_received"),
        usd=stats.get("instance_cost") or None,
        answer=str(info.get("submission") or ""),
        trajectory=name,
    )


class LeastAgent(PackagedSubject):
    """One bash tool in a loop, without any package; see drivers/least.py."""

    name, version = "least", "1"
    result = "records/least.json"

    @property
    def needs(self) -> Needs:
        """A bare environment."""
        return Needs(requirements=(), pythons=ANY_PYTHON, check="print(1)")

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """Its driver."""
        return driven(self.name, task, inside, [self.result], {"OPENAI_API_KEY": inside.token})

    def read(self, left: Path) -> Reported:
        """What its driver wrote."""
        result = read_json(left / self.result)
        return Reported(
            status=result["status"],
            limited=result["status"] == "limit",
            calls=result["calls"],
            answer=str(result["messages"][-1].get("content") or ""),
            trajectory=self.result,
        )
