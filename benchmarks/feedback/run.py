"""Drives one task through the whole of `ml-agent solve` and says what became of it."""

import time
from typing import Any

import msgspec

from ml_agent.benchmarks.feedback.script import brain_for
from ml_agent.benchmarks.feedback.tasks import FeedbackTask
from ml_agent.benchmarks.solved_copy import Endpoint, SandboxKind, solved_copy
from ml_agent.testing.model_server import ModelServer

SCRIPTED = "scripted"


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """How the tasks are driven."""

    sandbox: SandboxKind = "docker"
    attempts: int = 2
    endpoint: Endpoint | None = None
    """None: the scripted model."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one task."""

    task: str
    sandbox: str
    attempts: int
    """Drafts that were allowed."""
    model: str
    completed: bool
    """It ran to its end, and the metrics file holds the values."""
    evidence: str
    drafts: tuple[str, ...]
    """All that were written, in order."""
    repairs: int
    """Changes by rules, to the environment or to how a draft is run."""
    told: bool
    """A prompt contained the error line of the first draft."""
    wrong: tuple[str, ...]
    """What does not match in the metrics file."""
    tokens: int
    calls: int
    seconds: float


def run_task(task: FeedbackTask, way: Way) -> Row:
    """One run in folders of its own. Raises AgentError where the agent cannot run at all."""
    if way.endpoint is not None:
        return _run(task, way, way.endpoint)
    with ModelServer(brain_for(task)) as server:
        return _run(task, way, Endpoint(url=server.url, model=SCRIPTED))


def _run(task: FeedbackTask, way: Way, endpoint: Endpoint) -> Row:
    began = time.monotonic()
    with solved_copy(task.instruction, task.folder, endpoint, way.sandbox, max_attempts=way.attempts) as solved:
        events = solved.events
        wrong = task.mismatches(solved.outputs)
    return Row(
        task=task.id,
        sandbox=way.sandbox,
        attempts=way.attempts,
        model=endpoint.model,
        completed=solved.evidence in ("completed", "delivered") and not wrong,
        evidence=solved.evidence,
        drafts=tuple(event["draft"]["text"].strip() for event in events if _is_draft(event)),
        repairs=sum(map(_is_repair, events)),
        told=any(task.error in _prompt(event) for event in events if event["event"] == "model-call"),
        wrong=tuple(wrong),
        tokens=solved.tokens,
        calls=solved.calls,
        seconds=round(time.monotonic() - began, 1),
    )


def _is_draft(event: dict[str, Any]) -> bool:
    return bool(event["event"] == "draft") and "repair" not in event


def _is_repair(event: dict[str, Any]) -> bool:
    """Whether rules changed what surrounds the draft, or the draft itself."""
    return bool(event["event"] == "setup" and event["line"].startswith("repairing")) or "repair" in event


def _prompt(event: dict[str, Any]) -> str:
    return "\n".join(str(message.get("content") or "") for message in event["request"]["messages"])
