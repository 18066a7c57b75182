"""The scripted model: what it answers at first, and what once it has read that this failed when it was run."""

from ml_agent.benchmarks.feedback.tasks import FeedbackTask
from ml_agent.llm.navigator import FAILED
from ml_agent.testing.model_server import Answer, Brain, Seen
from ml_agent.testing.talkers import able


def brain_for(task: FeedbackTask) -> Brain:
    """A brain that answers with the task's two attempts."""

    def talk(seen: Seen) -> Answer:
        attempt = task.second if FAILED in seen.text else task.first
        kind = "python" if (attempt.kind or task.kind) == "python" else "command"
        return Answer("answer", {"kind": kind, "text": attempt.text, "folder": attempt.workdir})

    return able(talk)
