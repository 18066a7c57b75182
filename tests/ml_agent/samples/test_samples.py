"""The sample tasks can be achieved, and only by using the user's values."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from ml_agent import samples
from tests.environments import make_environment
from tests.ml_agent.samples.tasks import TASKS as SAMPLE_TASKS
from tests.ml_agent.samples.tasks import Metrics, SampleTask, verify

HERE = Path(__file__).resolve().parent
OPTION = re.compile(r"""["']--([A-Za-z][\w-]*)(?:/--[\w-]+)?["']""")
CATALOG_KEYS = {"full_name", "description", "stars", "topics", "language"}


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"samples_{name}", HERE / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = _load("reference")
TASKS = {task.id: task for task in SAMPLE_TASKS}


@pytest.fixture(scope="session")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python of its own with what the sample repositories ask for, and without ML-Agent."""
    python = make_environment(tmp_path_factory.mktemp("samples") / "venv")
    requirements = samples.repository_path("kindred") / "requirements.txt"
    subprocess.run([python, "-m", "pip", "install", "-q", "-r", requirements], check=True, timeout=110)
    return python


def _run(python: Path, command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{python.parent}:{os.environ['PATH']}", "HOME": str(folder)}
    argv = ["bash", "-c", command] if "\n" not in command else [str(python), "-c", command]
    return subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


def _copy(task: SampleTask, folder: Path) -> Path:
    return Path(shutil.copytree(samples.repository_path(task.repository), folder / task.repository))


def _other(value: Any) -> Any:
    """A value that is near but wrong."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value * 2 + 1
    if isinstance(value, list):
        return value[:-1]
    return value + "x"


@pytest.mark.parametrize("task_id", TASKS)
def test_reference_achieves_the_task(task_id: str, interpreter: Path, tmp_path: Path) -> None:
    task = TASKS[task_id]
    folder = _copy(task, tmp_path)
    assert not (folder / task.metrics.file).exists()
    done = _run(interpreter, reference.COMMANDS[task_id], folder)
    assert done.returncode == 0, done.stderr
    assert verify(task, folder) == []
    for key, value in task.metrics.expect.items():
        wrong = {**task.metrics.expect, key: _other(value)}
        changed = msgspec.structs.replace(task, metrics=Metrics(file=task.metrics.file, expect=wrong))
        assert verify(changed, folder) == [key]


@pytest.mark.parametrize("task_id", TASKS)
def test_a_clean_exit_without_the_values_does_not_pass(task_id: str, interpreter: Path, tmp_path: Path) -> None:
    task = TASKS[task_id]
    folder = _copy(task, tmp_path)
    done = _run(interpreter, reference.DEFAULTS[task_id], folder)
    assert done.returncode == 0, done.stderr
    mismatches = verify(task, folder)
    assert mismatches
    assert (folder / task.metrics.file).is_file(), "the values must fail, not the file's name"


def test_fifteen_tasks_of_both_kinds() -> None:
    assert len(TASKS) == 15 == len(SAMPLE_TASKS)
    assert sum(task.kind == "python" for task in TASKS.values()) >= 3
    assert set(reference.COMMANDS) == set(reference.DEFAULTS) == set(TASKS)
    names = [path.name for path in samples.repository_path("quill").parent.iterdir()]
    for task in TASKS.values():
        assert task.repository in names
        assert not [name for name in names if name in task.instruction.lower()]


def test_eight_instructions_share_no_option_name() -> None:
    without = []
    for task_id, script in reference.SCRIPTS.items():
        task = TASKS[task_id]
        text = (samples.repository_path(task.repository) / script).read_text(encoding="utf-8")
        options = {name.replace("-", " ").replace("_", " ") for name in OPTION.findall(text)}
        options |= {name.removeprefix("no ") for name in options}
        words = f" {' '.join(re.findall(r'[a-z]+', task.instruction.lower()))} "
        if not [name for name in options if f" {name} " in words or f" {name}s " in words]:
            without.append(task_id)
    assert len(without) >= 8, without


def test_the_catalogue_has_two_hundred_others() -> None:
    rows = [json.loads(line) for line in samples.catalog_path().read_text(encoding="utf-8").splitlines()]
    mine = [row for row in rows if row["url"].startswith(samples.URL_SCHEME)]
    assert len(rows) == 203
    assert len({row["full_name"].lower() for row in rows}) == 203
    assert all(set(row) - {"url"} == CATALOG_KEYS for row in rows)
    assert {samples.repository_path(row["url"]).name for row in mine} == {task.repository for task in TASKS.values()}


def test_an_unknown_repository_is_refused() -> None:
    with pytest.raises(KeyError):
        samples.repository_path("sample:..")


def test_the_tools_package_of_a_repository_is_its_own(interpreter: Path, tmp_path: Path) -> None:
    folder = _copy(TASKS["spirals-adam"], tmp_path)
    shutil.rmtree(folder / "tools")
    done = _run(interpreter, reference.COMMANDS["spirals-adam"], folder)
    assert done.returncode != 0, f"{sys.executable} is not what ran"
    assert "No module named 'tools'" in done.stderr


def test_one_repository_needs_what_its_requirements_ask_for(interpreter: Path, tmp_path: Path) -> None:
    folder = _copy(TASKS["stripes-medoids"], tmp_path)
    done = _run(interpreter, "python -S experiments/partition.py", folder)
    assert done.returncode != 0
    assert "No module named 'click'" in done.stderr
