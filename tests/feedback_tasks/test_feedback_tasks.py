"""Each first draft fails with its error line, each second draft does the task, by hand and through the whole agent."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ml_agent.benchmarks.feedback.run import Row, Way, run_task
from ml_agent.benchmarks.feedback.tasks import Attempt, FeedbackTask, load
from ml_agent.benchmarks.solved_copy import SandboxKind

FILE = Path(__file__).resolve().parent / "tasks.toml"
LOADED = load(FILE)
FEEDBACK = {task.id: task for task in LOADED.feedback}
TASKS = {**FEEDBACK, **{task.id: task for task in LOADED.repaired}}
QUICK = ("solver-and-penalty", "script-superseded", "file-renamed", "predict-before-fit")
"""Options set anew, another script, a literal set anew, code written anew."""


def by_hand(task: FeedbackTask, attempt: Attempt, copy: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    kind = attempt.kind or task.kind
    argv = ["bash", "-c", attempt.text] if kind == "bash" else [sys.executable, "-c", attempt.text]
    return subprocess.run(
        argv, cwd=copy / attempt.workdir, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def by_agent(task: FeedbackTask, sandbox: SandboxKind, attempts: int) -> Row:
    row = run_task(task, Way(sandbox=sandbox, attempts=attempts))
    assert row.drafts[0] == task.first.text.strip()
    return row


def assert_mended(task: FeedbackTask, row: Row) -> None:
    assert row.completed, row
    assert row.drafts == (task.first.text.strip(), task.second.text.strip())
    assert row.told, "the prompt for the second draft must hold the error line"


def test_there_are_at_least_twelve_of_several_kinds() -> None:
    assert len(FEEDBACK) >= 12
    assert len({task.why for task in FEEDBACK.values()}) >= 8
    assert sum(task.kind == "python" for task in FEEDBACK.values()) >= 3


@pytest.mark.parametrize("task_id", TASKS)
def test_the_first_draft_fails_beyond_what_can_be_seen_beforehand(task_id: str, tmp_path: Path) -> None:
    task = TASKS[task_id]
    copy = Path(shutil.copytree(task.folder, tmp_path / task.folder.name))
    done = by_hand(task, task.first, copy)
    assert done.returncode == 1, "a usage error exits with 2 and is seen by a check"
    last = done.stderr.strip().splitlines()[-1]
    assert last == task.error or last.endswith(f".{task.error}")
    assert task.mismatches(copy)


@pytest.mark.parametrize("task_id", TASKS)
def test_the_second_draft_does_the_task(task_id: str, tmp_path: Path) -> None:
    task = TASKS[task_id]
    copy = Path(shutil.copytree(task.folder, tmp_path / task.folder.name))
    done = by_hand(task, task.second, copy)
    assert done.returncode == 0, done.stderr
    assert task.mismatches(copy) == []


@pytest.mark.parametrize("task_id", [task.id for task in TASKS.values() if task.kind == "python"])
def test_python_drafts_parse(task_id: str) -> None:
    for attempt in (TASKS[task_id].first, TASKS[task_id].second):
        ast.parse(attempt.text)


@pytest.mark.parametrize("task_id", TASKS)
def test_the_task_is_not_done_by_an_untouched_repository(task_id: str) -> None:
    task = TASKS[task_id]
    assert task.mismatches(task.folder) == [f"{task.metrics.file}: not written"]


@pytest.mark.parametrize("task_id", QUICK)
def test_the_agent_mends_its_draft_after_the_error(task_id: str) -> None:
    assert_mended(FEEDBACK[task_id], by_agent(FEEDBACK[task_id], "process", 2))


def test_one_draft_alone_does_not_do_it() -> None:
    row = by_agent(FEEDBACK[QUICK[0]], "process", 1)
    assert (row.completed, row.told, row.evidence) == (False, False, "checked")


def test_the_model_is_not_asked_again_where_rules_repair() -> None:
    task = TASKS["folder-of-the-script"]
    row = by_agent(task, "process", 1)
    assert (row.completed, row.repairs, row.told) == (True, 1, False)


@pytest.mark.slow
@pytest.mark.docker
@pytest.mark.parametrize("task_id", FEEDBACK)
def test_the_second_draft_completes_in_docker(task_id: str) -> None:
    assert_mended(FEEDBACK[task_id], by_agent(FEEDBACK[task_id], "docker", 2))


@pytest.mark.slow
@pytest.mark.docker
@pytest.mark.parametrize("task_id", FEEDBACK)
def test_the_first_draft_does_not_complete_in_docker(task_id: str) -> None:
    row = by_agent(FEEDBACK[task_id], "docker", 1)
    assert (row.completed, row.told, row.evidence) == (False, False, "checked")


@pytest.mark.slow
@pytest.mark.docker
@pytest.mark.parametrize("task", LOADED.repaired, ids=lambda task: task.id)
def test_rules_repair_the_first_draft_in_docker(task: FeedbackTask) -> None:
    row = by_agent(task, "docker", 1)
    assert row.completed and row.repairs and not row.told, row
