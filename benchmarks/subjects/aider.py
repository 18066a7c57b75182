"""Aider: a pair programmer that edits files (https://github.com/Aider-AI/aider)."""

import re
from pathlib import Path

from ml_agent.benchmarks.subjects.install import Needs
from ml_agent.benchmarks.subjects.model import Inside, Launch, Reported, SubjectTask
from ml_agent.benchmarks.subjects.records import read_record
from ml_agent.benchmarks.subjects.subject import PackagedSubject

HISTORY = "records/aider.chat.history.md"
_TOKENS = re.compile(r"Tokens: ([\d.,]+)(k?) sent.*?([\d.,]+)(k?) received", re.DOTALL)
_COST = re.compile(r"Cost: \$([\d.]+) message, \$([\d.]+) session")


# Aider names files by their path from the repository's root, models by what the task calls them: so the task's folder is the root.
_START = (
    "git init -q . && git add -A -f . && git -c user.name=bench -c user.email=bench@localhost commit -q --allow-empty -m x"
    ' && exec "$0" "$@"'
)


class Aider(PackagedSubject):
    """One message, every question answered yes; whole-file edits, the format that weak models can keep."""

    name = "aider"
    version = "0.86.2"

    @property
    def needs(self) -> Needs:
        """It refuses Python 3.13."""
        return Needs(
            requirements=(f"aider-chat=={self.version}",),
            pythons=((3, 12), (3, 11), (3, 10)),
            check="import aider; from importlib.metadata import version; print(version('aider-chat'))",
        )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """The files of the answer are in the chat; the rest it sees by its repository map and may ask for."""
        arguments = [
            "bash",
            "-c",
            _START,
            f"{inside.programs}/aider",
            "--model",
            f"openai/{task.endpoint.model}",
            "--message",
            task.text,
        ]
        arguments += ["--yes-always", "--no-stream", "--no-pretty", "--edit-format", "whole", "--no-auto-commits"]
        arguments += ["--no-gitignore", "--no-suggest-shell-commands", "--no-detect-urls"]
        arguments += ["--no-check-update", "--no-show-model-warnings", "--no-show-release-notes", "--analytics-disable"]
        arguments += ["--chat-history-file", f"{inside.own}/{HISTORY}"]
        arguments += ["--input-history-file", f"{inside.own}/records/aider.input.history"]
        arguments += ["--llm-history-file", f"{inside.own}/records/aider.llm.history", *task.writes]
        environment = {
            "HOME": inside.home,
            "OPENAI_API_KEY": inside.token,
            "OPENAI_API_BASE": inside.base_url,
            "AIDER_ANALYTICS": "false",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        return Launch(arguments=tuple(arguments), environment=environment)

    def read(self, left: Path, said: str) -> Reported:
        """Its .aider.chat.history.md, where each reply is followed by a line with its tokens."""
        text = read_record(left / HISTORY)
        counts = _TOKENS.findall(text)
        costs = _COST.findall(text)
        replies = [part for part in re.split(r"^####.*$|^>.*$", text, flags=re.MULTILINE) if part.strip()]
        return Reported(
            calls=len(counts) or None,
            prompt_tokens=sum(_number(sent, k) for sent, k, _, _ in counts) if counts else None,
            completion_tokens=sum(_number(received, k) for _, _, received, k in counts) if counts else None,
            usd=float(costs[-1][1]) if costs else None,
            answer=replies[-1].strip() if replies else "",
            trajectory=HISTORY,
        )


def _number(text: str, thousands: str) -> int:
    """Aider rounds to tenths of thousands."""
    return round(float(text.replace(",", "")) * (1000 if thousands else 1))
