"""Each first draft fails with its error line, each second draft does the task."""

import ast
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("feedback_tasks", HERE / "feedback.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


feedback = _load()
TASKS = {task.id: task for task in feedback.load()}


def _run(kind: str, text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    argv = ["bash", "-c", text] if kind == "bash" else [sys.executable, "-c", text]
    return subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_there_are_at_least_twelve_of_several_kinds() -> None:
    assert len(TASKS) >= 12
    assert len({task.why for task in TASKS.values()}) >= 8
    assert sum(task.kind == "python" for task in TASKS.values()) >= 3


@pytest.mark.parametrize("task_id", TASKS)
def test_the_first_draft_fails_beyond_what_can_be_seen_beforehand(task_id: str, tmp_path: Path) -> None:
    task = TASKS[task_id]
    copy = Path(shutil.copytree(task.folder, tmp_path / task.repository))
    done = _run(task.kind, task.first.text, copy / task.first.workdir)
    assert done.returncode == 1, "a usage error exits with 2 and is seen by a check"
    last = done.stderr.strip().splitlines()[-1]
    assert last == task.error or last.endswith(f".{task.error}")
    assert feedback.mismatches(task, copy)


@pytest.mark.parametrize("task_id", TASKS)
def test_the_second_draft_does_the_task(task_id: str, tmp_path: Path) -> None:
    task = TASKS[task_id]
    copy = Path(shutil.copytree(task.folder, tmp_path / task.repository))
    done = _run(task.kind, task.second.text, copy / task.second.workdir)
    assert done.returncode == 0, done.stderr
    assert feedback.mismatches(task, copy) == []


@pytest.mark.parametrize("task_id", [task.id for task in TASKS.values() if task.kind == "python"])
def test_python_drafts_parse(task_id: str) -> None:
    task = TASKS[task_id]
    for attempt in (task.first, task.second):
        ast.parse(attempt.text)


@pytest.mark.parametrize("task_id", TASKS)
def test_the_task_is_not_done_by_an_untouched_repository(task_id: str) -> None:
    task = TASKS[task_id]
    assert feedback.mismatches(task, task.folder) == [f"{task.metrics.file}: not written"]
