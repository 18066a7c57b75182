"""AutoGen AgentChat: a library without a command line (https://github.com/microsoft/autogen)."""

from pathlib import Path

from ml_agent.benchmarks.subjects.install import Needs
from ml_agent.benchmarks.subjects.model import Inside, Launch, Reported, SubjectTask
from ml_agent.benchmarks.subjects.records import read_json
from ml_agent.benchmarks.subjects.subject import PackagedSubject, driven

MESSAGES = "records/messages.json"


class AutoGen(PackagedSubject):
    """An assistant with a bash tool, or one whose code blocks are run; see drivers/autogen.py."""

    name = "autogen"
    version = "0.7.5"

    @property
    def needs(self) -> Needs:
        """Two packages of one version."""
        return Needs(
            requirements=(f"autogen-agentchat=={self.version}", f"autogen-ext[openai]=={self.version}"),
            pythons=((3, 12), (3, 11), (3, 13), (3, 10)),
            check="import autogen_agentchat, autogen_ext.models.openai; print(autogen_agentchat.__version__)",
        )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """Our driver."""
        return driven(self.name, task, inside, [MESSAGES], {"OPENAI_API_KEY": inside.token})

    def read(self, left: Path, said: str) -> Reported:
        """The messages that our driver wrote; every one of the assistant's carries its tokens."""
        whole = read_json(left / MESSAGES)
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
            trajectory=MESSAGES,
        )
