"""One task through the whole of `ml-agent solve`, and the judgement of what it left."""

import subprocess
import sys
import time
import tomllib
from pathlib import Path

import msgspec

from ml_agent.benchmarks.solved_copy import Endpoint, SandboxKind, solved_copy

JUDGE_SECONDS = 20


class LibraryTask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sentence about a library without a command line, and how its result is told from others."""

    id: str
    repository: str
    instruction: str
    judge: str
    """Python, run in the folder of the outputs; it ends well where the result is right."""
    code: str
    """One right answer."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one task."""

    task: str
    sandbox: str
    model: str
    delivered: bool
    why: str
    """What the judge said; "" where it was right."""
    evidence: str
    drafts: tuple[str, ...]
    tokens: int
    calls: int
    seconds: float


def load(file: Path) -> list[LibraryTask]:
    """The tasks of a file; the folder `repositories` lies beside it."""
    return msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8"))["task"], list[LibraryTask])


def judged(task: LibraryTask, outputs: Path) -> str:
    """Why the outputs are not what was asked for; "" where they are."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", task.judge],
        cwd=outputs,
        capture_output=True,
        text=True,
        timeout=JUDGE_SECONDS,
        check=False,
    )
    said = done.stderr.strip().splitlines() or ["it ended badly"]
    return said[-1] if done.returncode else ""


def run_task(task: LibraryTask, root: Path, endpoint: Endpoint, sandbox: SandboxKind, answers: int = 5) -> Row:
    """One run in folders of its own, with at most so many answers. Raises AgentError where the agent cannot run at all."""
    began = time.monotonic()
    wanted = {"max_attempts": answers, "model_profile": "tools"}
    with solved_copy(task.instruction, root / task.repository, endpoint, sandbox, **wanted) as solved:
        why = judged(task, solved.outputs)
    return Row(
        task=task.id,
        sandbox=sandbox,
        model=endpoint.model,
        delivered=not why,
        why=why,
        evidence=solved.evidence,
        drafts=tuple(event["draft"]["text"].strip() for event in solved.events if event["event"] == "draft"),
        tokens=solved.tokens,
        calls=solved.calls,
        seconds=round(time.monotonic() - began, 1),
    )
