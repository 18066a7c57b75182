"""A capable model needs one reply to answer a sample task and one to be done, and nothing else is asked of it."""

from pathlib import Path

import pytest

from ml_agent import samples
from ml_agent.request import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.settings import load_settings
from tests.ml_agent.samples.reference import COMMANDS
from tests.ml_agent.samples.tasks import TASKS as SAMPLE_TASKS
from tests.ml_agent.samples.tasks import SampleTask
from tests.servers.model_server import Answer, ModelServer
from tests.servers.talkers import saying

FEW = ("diary-six-grams",)
"""The others take longer together than a test may."""
TASKS = [pytest.param(task, id=task.id, marks=[] if task.id in FEW else pytest.mark.slow) for task in SAMPLE_TASKS]


@pytest.mark.parametrize("task", TASKS)
def test_one_reply_answers_and_one_is_done(task: SampleTask, tmp_path: Path) -> None:
    answer = Answer("answer", {"kind": "python" if task.kind == "python" else "command", "text": COMMANDS[task.id]})
    job = Job(instruction=task.instruction, repository=str(samples.repository_path(task.repository)))
    with ModelServer(saying(answer, Answer("done", {"what": "as asked"}))) as server:
        settings = load_settings(
            navigator="llm", model="m", base_url=server.url, api_key="k", run="full", sandbox="local", unisolated=True,
            cache_dir=tmp_path / "cache",
        )  # fmt: skip
        result = run_job(job, settings, new_run(tmp_path, tmp_path / "out", {}))
        asked = len(server.requests)
    assert result["exit_code"] == 0 and result["told"] == "as asked", result["message"]
    assert asked == 2, result["doubts"]
