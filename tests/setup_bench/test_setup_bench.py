"""Every case of the bench fails as it says, and is completed by its remedy."""

import ctypes.util
import importlib.util
import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent
KEPT = ("PIP_", "SSL_", "GIT_SSL", "LANG", "PYENV_")


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("setup_bench_cases", HERE / "cases.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


bench = _load()
CASES = {case.name: case for case in bench.load()}


@pytest.fixture(scope="session")
def installer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment whose pip installs into the others, so that each is made without one."""
    folder = tmp_path_factory.mktemp("bench") / "installer"
    venv.create(folder, with_pip=True, symlinks=True)
    return folder / "bin" / "python"


def _environment(installer: Path, folder: Path) -> dict[str, str]:
    target = folder / "venv"
    venv.create(target, with_pip=False, symlinks=True)
    pip = target / "bin" / "pip"
    pip.write_text(f'#!/bin/bash\nexec "{installer}" -m pip --python "{target}/bin/python" "$@"\n')
    pip.chmod(0o755)
    kept = {key: value for key, value in os.environ.items() if key.startswith(KEPT)}
    return {**kept, "PATH": f"{target}/bin:{os.environ['PATH']}", "HOME": os.environ["HOME"]}


def _run(text: str, copy: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", text], cwd=copy, env=environment, capture_output=True, text=True, timeout=110, check=False
    )


def test_the_bench_is_large_enough() -> None:
    assert len(CASES) >= 25
    assert sum(case.ends == "completed" for case in CASES.values()) >= 22
    assert sum(case.ends == "diagnosed" for case in CASES.values()) >= 5


@pytest.mark.parametrize("name", CASES)
def test_a_case_says_what_is_needed_to_judge_it(name: str) -> None:
    case = CASES[name]
    assert case.thread.startswith("https://github.com/")
    assert set(case.diagnosis) <= set(bench.DIAGNOSES)
    assert case.diagnosis
    assert case.names
    assert bool(case.remedy) == bool(case.expect) == (case.ends == "completed")
    assert (case.repository / "README.md").is_file() or name == "setup-missing-readme"


def test_each_case_reproduces_another_thread() -> None:
    assert len({case.thread for case in CASES.values()}) == len(CASES)


def test_a_case_is_laid_as_a_dated_commit(tmp_path: Path) -> None:
    copy = bench.lay(CASES["numpy-float"], tmp_path)
    log = subprocess.run(["git", "log", "--format=%cs"], cwd=copy, capture_output=True, text=True, check=True)
    assert log.stdout.split() == ["2022-03-10"]


def test_completed_is_not_claimed_without_the_values(tmp_path: Path) -> None:
    case = CASES["data-from-script"]
    assert bench.completed(case, tmp_path) == ["result.json: not written"]
    (tmp_path / "result.json").write_text('{"epochs": 10, "vocabulary": 7}')
    assert bench.completed(case, tmp_path) == ["epochs: 10, expected 3"]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_naive_way_fails_as_described(name: str, installer: Path, tmp_path: Path) -> None:
    case = CASES[name]
    if name == "libgl-missing" and ctypes.util.find_library("GL"):
        pytest.skip("this machine has the library")
    copy = bench.lay(case, tmp_path)
    done = _run(case.naive or case.command, copy, _environment(installer, tmp_path))
    assert done.returncode != 0
    assert re.search(case.error, done.stdout + done.stderr), done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.remedy])
def test_the_remedy_completes_it(name: str, installer: Path, tmp_path: Path) -> None:
    case = CASES[name]
    if case.needs and not bench.has_interpreter(case.needs):
        pytest.skip(f"no {case.needs} here")
    copy = bench.lay(case, tmp_path)
    done = _run(case.remedy, copy, _environment(installer, tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert bench.completed(case, copy) == []
