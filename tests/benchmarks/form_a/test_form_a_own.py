"""ML-Agent itself on form A: its proven answer becomes a run.sh that works in the row's sandbox."""

from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.form_a import own
from ml_agent.benchmarks.form_a.own import OwnSolver, split
from ml_agent.benchmarks.form_a.row import Job, Settings, solve_row
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.model.endpoint import Endpoint
from ml_agent.runs import RunFolder

PROCESS = Place(sandbox="local", unisolated=True)
MAIN = """import argparse
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=1)
for epoch in range(p.parse_args().epochs):
    print("epoch", epoch)
"""


def job(root: Path, **changes: object) -> Job:
    task = Task(
        github_id=3, id=1, github="https://github.com/o/toy", path="./examples", arguments={"epochs": "5"},
        instruction="Train the model for 5 epochs.", oracle="", kind="bash", output="",
    )  # fmt: skip
    settings = Settings(endpoint=Endpoint(model=""), place=PROCESS, tries=1, installs=False)
    return Job(task=task, root=root, solver=OwnSolver("offline", PROCESS), settings=settings)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    (folder / "examples").mkdir(parents=True)
    (folder / "README.md").write_text("# Toy\n\nTrain it:\n\n```bash\ncd examples\npython main.py --epochs 3\n```\n")
    (folder / "examples/main.py").write_text(MAIN)
    return folder


def test_a_row_is_solved_without_a_model(root: Path, tmp_path: Path) -> None:
    outcome = solve_row(job(root), tmp_path / "records")
    checked = outcome.checked
    assert outcome.counts and checked.official_success and checked.executed, outcome
    assert "python main.py --epochs 5" in checked.script and "epoch 4" in checked.output
    assert outcome.solver.startswith("ml-agent offline") and (outcome.spent.calls, outcome.spent.usd) == (0, 0.0)
    assert not (root / "examples/run.sh").exists()


def test_what_cannot_be_answered_is_the_agents_failure(root: Path, tmp_path: Path) -> None:
    (root / "README.md").write_text("# Nothing\n")
    (root / "examples/main.py").unlink()
    outcome = solve_row(job(root), tmp_path / "records")
    assert outcome.counts and outcome.ended == "failed" and outcome.error
    assert not outcome.checked.official_success and outcome.checked.reason.startswith("no-script")


def test_a_set_up_that_fails_is_told_by_its_cause(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_job(job: object, settings: object, folder: RunFolder) -> dict[str, Any]:
        said = (
            "error: metadata-generation-failed\n\n× Encountered error while generating package metadata.\n╰─> See above"
        )
        (folder.path / "reproduce.sh").write_text(
            f"for python in python3; do break; done\nexport PATH=$PATH\n(printf '%s\\n' '{said}' >&2; exit 1)\ncd \"$root\"\npython main.py\n"
        )
        return {"answer": {"text": "python main.py"}, "ending": "completed", "message": ""}

    monkeypatch.setattr(own, "run_job", run_job)
    outcome = solve_row(job(root), tmp_path / "records")
    assert outcome.error.startswith("set-up: a package cannot be built")


def test_a_reproduction_is_split_at_the_program() -> None:
    reproduce = "\n".join([
        "#!/usr/bin/env bash", "set -euo pipefail", 'work=${1:-reproduced}', 'git init -q "$work/repository"',
        'for python in python3.11 python3; do "$python" -c "" && break; done', '"$python" -m venv "$work/venv"', 'export PATH="$work/venv/bin:$PATH" HOME="$work/home"',
        'python -m pip install -q -r "$here/requirements.lock"', '(cd "$work/repository"/. && make data)', 'cd "$work/repository"/examples',
        "export A=1", "python main.py",
    ])  # fmt: skip
    scripts = split(reproduce, "..")
    assert 'root=$(cd "$(dirname "$0")/.." && pwd)' in scripts.run and "git init" not in scripts.setup
    assert '(cd "$root"/. && make data)' in scripts.setup and "main.py" not in scripts.setup
    assert (
        scripts.run.endswith('cd "$root"/examples\nexport A=1\npython main.py\n') and "pip install" not in scripts.run
    )
    assert 'export PATH="$work/venv/bin:$PATH"' in scripts.run
