"""Every case of the bench fails as it says, is completed by its remedy, and comes to its right end by rules alone."""

import ctypes.util
import json
import os
import re
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

from ml_agent.benchmarks.setup_bench import Proof
from ml_agent.sandbox.contract import Response
from ml_agent.sandbox.diagnosis import Diagnosis
from tests.environments import make_environment
from tests.setup_bench.broken import judge, lay, load, run_case

CASES = {case.name: case for case in load(Path(__file__).resolve().parent / "cases")}
QUICK = ("data-from-script", "yaml-not-listed", "output-folder-missing", "data-missing")
KEPT = ("PIP_", "SSL_", "GIT_SSL", "LANG", "PYENV_")
OK = Proof(
    response=Response(ended="exited", exit_code=0),
    diagnosis=Diagnosis(code="no-error", category="code", message="it ended well"),
)


@pytest.fixture(scope="session")
def installer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment whose pip installs into the others, so that each is made without one."""
    return make_environment(tmp_path_factory.mktemp("bench") / "installer")


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
        ["bash", "-c", text], cwd=copy, env=environment, capture_output=True, text=True, timeout=240, check=False
    )


def _has_interpreter(name: str) -> bool:
    """Whether an interpreter can be run here; a version manager's shim alone does not count."""
    path = shutil.which(name)
    return path is not None and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0


def test_the_bench_is_large_enough() -> None:
    assert len(CASES) >= 25
    assert sum(case.ends == "completed" for case in CASES.values()) >= 22
    assert sum(case.ends == "diagnosed" for case in CASES.values()) >= 5


@pytest.mark.parametrize("name", CASES)
def test_a_case_says_what_is_needed_to_judge_it(name: str) -> None:
    case = CASES[name]
    assert case.thread.startswith("https://github.com/")
    assert case.diagnosis
    assert case.names
    assert bool(case.remedy) == bool(case.expect) == (case.ends == "completed")
    assert (case.repository / "README.md").is_file() or name == "setup-missing-readme"


def test_each_case_reproduces_another_thread() -> None:
    assert len({case.thread for case in CASES.values()}) == len(CASES)


def test_a_case_is_laid_as_a_dated_commit(tmp_path: Path) -> None:
    copy = lay(CASES["numpy-float"], tmp_path)
    log = subprocess.run(["git", "log", "--format=%cs"], cwd=copy, capture_output=True, text=True, check=True)
    assert log.stdout.split() == ["2022-03-10"]
    assert not (copy / "case.toml").exists()


def test_completed_is_not_believed_without_the_values() -> None:
    case = CASES["yaml-not-listed"]
    assert judge(case, OK, {"units": 12, "steps": 40}, "completed").right
    assert judge(case, OK, None, "completed").wrong == ("result.json: not written",)
    assert judge(case, OK, {"units": 10, "steps": 40}, "completed").wrong == ("units: 10, expected 12",)


def test_a_diagnosis_is_right_by_its_code_and_by_what_it_names() -> None:
    case = CASES["data-missing"]
    failed = Response(ended="exited", exit_code=1)
    said = [("missing-file", "data/chembl/train.csv is not there"), ("missing-file", "a file"), ("assertion", "no")]
    proofs = [
        Proof(response=failed, diagnosis=Diagnosis(code=code, category="data", message=message))
        for code, message in said
    ]
    assert [judge(case, proof, None, "diagnosed").right for proof in proofs] == [True, False, False]
    assert not judge(case, proofs[0], None, "completed").right
    assert not judge(case, OK, None, "diagnosed").right


@pytest.mark.parametrize("name", QUICK)
def test_rules_bring_it_to_its_right_end(name: str) -> None:
    row = run_case(CASES[name], "process")
    assert row.right, row


@pytest.mark.slow
@pytest.mark.docker
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [name for name in CASES if name not in QUICK])
def test_rules_bring_each_other_one_to_its_right_end(name: str) -> None:
    row = run_case(CASES[name], "docker")
    assert row.right, row


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_naive_way_fails_as_described(name: str, installer: Path, tmp_path: Path) -> None:
    case = CASES[name]
    if name == "libgl-missing" and ctypes.util.find_library("GL"):
        pytest.skip("this machine has the library")
    copy = lay(case, tmp_path)
    done = _run(case.naive or case.command, copy, _environment(installer, tmp_path))
    assert done.returncode != 0
    assert re.search(case.error, done.stdout + done.stderr), done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.remedy])
def test_the_remedy_completes_it(name: str, installer: Path, tmp_path: Path) -> None:
    case = CASES[name]
    if case.needs and not _has_interpreter(case.needs):
        pytest.skip(f"no {case.needs} here")
    copy = lay(case, tmp_path)
    done = _run(case.remedy, copy, _environment(installer, tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    found = [path for path in copy.rglob(Path(case.result).name) if path.is_file()]
    assert found
    assert case.mismatches(json.loads(max(found, key=lambda path: path.stat().st_mtime).read_text())) == []
