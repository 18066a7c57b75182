"""The scripted model: what it decides at the first draft, and what once it has read that this draft failed."""

from typing import Any

from benchmarks.feedback.tasks import Attempt, FeedbackTask
from ml_agent.testing.model_server import Answer, Brain, Seen, first_choice

FAILED = "It failed:"
"""How a prompt tells of an earlier draft."""


def brain_for(task: FeedbackTask) -> Brain:
    """A brain that decides as the task's two attempts say."""
    return lambda seen: _answer(task.second if FAILED in seen.text else task.first, seen)


def _answer(attempt: Attempt, seen: Seen) -> Answer:
    name, schema = next(iter(seen.functions.items()))
    properties: dict[str, Any] = schema["properties"]
    if name == "set_options":
        return Answer(name, {option: attempt.settings.get(option) for option in properties})
    if name == "write_python":
        return Answer(name, {"code": attempt.text})
    least = first_choice(seen).arguments
    if name == "choose" and attempt.choice in properties["choice"]["enum"]:
        return Answer(name, {"choice": attempt.choice})
    return Answer(name, {**least, **({"possible": True} if "possible" in least else {})})
