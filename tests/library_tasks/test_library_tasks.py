"""Each judge takes a right result and refuses none at all, and the agent delivers what a model writes."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ml_agent.benchmarks.library_tasks.run import LibraryTask, judged, load, run_task
from ml_agent.benchmarks.solved_copy import Endpoint
from ml_agent.llm.navigator import FAILED
from ml_agent.testing.model_server import Answer, ModelServer, Seen
from ml_agent.testing.talkers import able

FILE = Path(__file__).resolve().parent / "tasks.toml"
REPOSITORIES = FILE.parent / "repositories"
TASKS = {task.id: task for task in load(FILE)}


def python(code: str) -> Answer:
    """An answer in Python."""
    return Answer("answer", {"kind": "python", "text": code})


def test_there_are_twelve_on_several_libraries() -> None:
    assert len(TASKS) == 12 and len({task.repository for task in TASKS.values()}) == 4


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_the_judge_takes_a_right_result_and_no_other(task: LibraryTask, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(REPOSITORIES / task.repository, tmp_path / task.repository))
    assert judged(task, copy)
    (copy / "answer.py").write_text(task.code)
    subprocess.run([sys.executable, "answer.py"], cwd=copy, check=True, timeout=240)
    assert judged(task, copy) == ""


def test_a_failed_answer_is_mended_and_the_result_is_delivered() -> None:
    task = TASKS["signal-resampled"]
    wrong = task.code.replace("resample(20)", "resample(21)")

    def talk(seen: Seen) -> Answer:
        return python(task.code if FAILED in seen.text else wrong)

    with ModelServer(able(talk)) as server:
        row = run_task(task, REPOSITORIES, Endpoint(url=server.url, model="m"), "process")
    assert row.delivered and row.evidence in ("completed", "delivered"), row
    assert [draft.count("21") for draft in row.drafts] == [1, 0]


def test_a_wrong_result_is_not_delivered() -> None:
    task = TASKS["words-counted"]
    code = task.code.replace("min_count=3", "min_count=1")
    with ModelServer(able(lambda _seen: python(code))) as server:
        row = run_task(task, REPOSITORIES, Endpoint(url=server.url, model="m"), "process", answers=1)
    assert not row.delivered and "AssertionError" in row.why


@pytest.mark.slow
@pytest.mark.docker
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_right_code_is_delivered_in_docker(task: LibraryTask) -> None:
    with ModelServer(able(lambda _seen: python(task.code))) as server:
        assert run_task(task, REPOSITORIES, Endpoint(url=server.url, model="m"), "docker").delivered
