"""One task through the whole of `ml-agent solve`, and the judgement of what it left."""

import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import msgspec

from benchmarks.feedback.run import TIMEOUT, Endpoint, SandboxKind
from ml_agent.job import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.settings import load_settings
from ml_agent.trajectory import read_trajectory

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
    with tempfile.TemporaryDirectory(prefix="delivery-") as place:
        copy = Path(shutil.copytree(root / task.repository, Path(place) / task.repository))
        settings = load_settings(
            navigator="llm", model=endpoint.model, base_url=endpoint.url, api_key=endpoint.key, run="full",
            sandbox="docker" if sandbox == "docker" else "local", unisolated=sandbox == "process", network="none",
            timeout=TIMEOUT, max_attempts=answers, cache_dir=Path(place) / "cache", model_profile="tools",
        )  # fmt: skip
        folder = new_run(Path(place) / "runs", Path(place) / "out", {})
        result = run_job(Job(instruction=task.instruction, repository=str(copy)), settings, folder)
        events = list(read_trajectory(folder.trajectory))
        folder.outputs.mkdir(exist_ok=True)
        why = judged(task, folder.outputs)
    used = result["budget"]
    return Row(
        task=task.id,
        sandbox=sandbox,
        model=endpoint.model,
        delivered=not why,
        why=why,
        evidence=result["evidence"],
        drafts=tuple(event["draft"]["text"].strip() for event in events if event["event"] == "draft"),
        tokens=used["prompt_tokens"] + used["completion_tokens"],
        calls=used["calls"],
        seconds=round(time.monotonic() - began, 1),
    )
