"""OpenHands: its SDK with the default agent, working in the sandbox itself (https://github.com/OpenHands/software-agent-sdk)."""

from pathlib import Path
from typing import Any

from ml_agent.benchmarks.subjects.install import Needs
from ml_agent.benchmarks.subjects.model import Inside, Launch, Reported, SubjectTask
from ml_agent.benchmarks.subjects.records import read_json
from ml_agent.benchmarks.subjects.subject import PackagedSubject, driven

RESULT = "records/openhands.json"
EVENTS = "records/conversation"


class OpenHands(PackagedSubject):
    """Terminal, file editor and task tracker, no browser; see drivers/openhands.py."""

    name = "openhands"
    version = "1.58.0"

    @property
    def needs(self) -> Needs:
        """Not on Python 3.11, where pip would take an empty package of an old version for some of its names."""
        return Needs(
            requirements=(f"openhands-sdk=={self.version}", f"openhands-tools=={self.version}"),
            pythons=((3, 12), (3, 13)),
            check="import openhands.sdk, openhands.tools; from importlib.metadata import version; print(version('openhands-sdk'))",
        )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """Our driver."""
        environment = {
            "LLM_API_KEY": inside.token,
            "OPENHANDS_SUPPRESS_BANNER": "1",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        return driven(self.name, task, inside, [RESULT, EVENTS], environment)

    def read(self, left: Path, said: str) -> Reported:
        """What our driver wrote, and its conversation's events."""
        result = read_json(left / RESULT)
        events = read_events(left / EVENTS)
        status = str(result["status"])
        return Reported(
            status=status,
            limited=any(event.get("code") == "MaxIterationsReached" for event in events),
            calls=result["calls"],
            prompt_tokens=result["prompt_tokens"],
            completion_tokens=result["completion_tokens"],
            # it writes 0.0 for a model whose price it does not know
            usd=result["accumulated_cost"] or None,
            answer=last_words(events),
            trajectory=EVENTS,
        )


def read_events(folder: Path) -> list[dict[str, Any]]:
    """The events of a conversation that the SDK or the command line kept, in order."""
    paths = sorted(folder.rglob("events/event-*.json"), key=lambda path: path.name)
    return [read_json(path) for path in paths]


def last_words(events: list[dict[str, Any]]) -> str:
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
