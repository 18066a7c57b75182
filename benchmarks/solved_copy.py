"""`ml-agent solve` with a model on a copy of a small repository, in folders of its own."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec

from ml_agent.job import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.settings import load_settings
from ml_agent.trajectory import read_trajectory

SandboxKind = Literal["docker", "local", "process"]
TIMEOUT = 60.0
"""Seconds for one execution; each takes a moment."""


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A model to ask."""

    url: str
    model: str


class SolvedCopy(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    evidence: str
    tokens: int
    calls: int
    events: tuple[dict[str, Any], ...]
    """Of the trajectory."""
    outputs: Path
    """Folder of the files that were made, laid out as in the repository."""


@contextmanager
def solved_copy(
    instruction: str, repository: Path, endpoint: Endpoint, sandbox: SandboxKind, **settings: object
) -> Iterator[SolvedCopy]:
    """Solve; everything is gone at the end of the block. Raises AgentError where the agent cannot run at all."""
    with tempfile.TemporaryDirectory(prefix="ml-agent-solved-") as place:
        copy = shutil.copytree(repository, Path(place, repository.name))
        whole = load_settings(
            navigator="llm", model=endpoint.model, base_url=endpoint.url, api_key="none", run="full",
            sandbox="docker" if sandbox == "docker" else "local", unisolated=sandbox == "process", network="none",
            timeout=TIMEOUT, cache_dir=Path(place, "cache"), **settings,
        )  # fmt: skip
        folder = new_run(Path(place, "runs"), Path(place, "out"), {})
        result = run_job(Job(instruction=instruction, repository=str(copy)), whole, folder)
        folder.outputs.mkdir(exist_ok=True)
        used = result["budget"]
        yield SolvedCopy(
            evidence=result["evidence"],
            tokens=used["prompt_tokens"] + used["completion_tokens"],
            calls=used["calls"],
            events=tuple(read_trajectory(folder.trajectory)),
            outputs=folder.outputs,
        )
