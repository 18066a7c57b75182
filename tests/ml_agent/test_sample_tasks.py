"""Every sample task, from one sentence to a finished run: found in the catalogue, offline, run, its metrics as the user wished."""

import json
import os
from pathlib import Path

import pytest

from ml_agent.delivery.request_words import expectations_of
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from tests.command import ml_agent
from tests.ml_agent.samples.tasks import TASKS, SampleTask, verify

WAYS = {
    "process": ("--sandbox", "local", "--unisolated"),
    "bubblewrap": ("--sandbox", "local"),
    "docker": ("--sandbox", "docker"),
}
FIRST = {task.repository: task for task in reversed(TASKS)}.values()
"""One task of each repository: `make test` runs them without a sandbox, and all tasks in sandboxes are slow tests."""
SLOW = {"bubblewrap": [pytest.mark.slow], "docker": [pytest.mark.docker, pytest.mark.slow]}
RUNS = [pytest.param(task, "process", id=f"{task.id}-process") for task in FIRST]
RUNS += [pytest.param(task, way, id=f"{task.id}-{way}", marks=SLOW[way]) for way in SLOW for task in TASKS]


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all runs, also of tests beside each other: an index and an installed requirement serve them all."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own) / "sample-tasks-cache"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.parametrize(("task", "way"), RUNS)
def test_the_instruction_ends_completed_with_the_values_really_used(
    task: SampleTask, way: str, shared_cache: Path, tmp_path: Path
) -> None:
    if way == "bubblewrap" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    out = tmp_path / "out"
    done = ml_agent(
        "solve", task.instruction, "--catalog", "sample", "--navigator", "offline", "--run", "full", *WAYS[way], "--json", "--quiet",
        "--out", str(out), ML_AGENT_CACHE_DIR=str(shared_cache),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    result = json.loads(done.stdout)
    answer = result["answer"]["text"]
    level = "delivered" if expectations_of(task.instruction) else "completed"
    assert (result["evidence"], result["ending"]) == (level, level), (answer, result["message"])
    assert result["repository"]["name"].endswith(f"/{task.repository}")
    assert result["answer"]["kind"] == task.kind, answer
    assert verify(task, out / "outputs") == [], answer
