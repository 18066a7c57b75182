"""Mutations of answers that pass are caught."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.mutations import BARS, catch_rates, mutants

FILES = {
    "setup.py": "",
    "lib/__init__.py": "",
    "lib/core.py": "def fit(x, steps=3):\n    return x\n",
    "train.py": "import argparse, torch\np = argparse.ArgumentParser()\np.add_argument('--opt', choices=['adam', 'sgd'])\n"
    "p.add_argument('--lr', type=float)\nprint(p.parse_args())\n",
}


def task(number: int, kind: str, output: str, arguments: dict[str, str]) -> Task:
    return Task(
        github_id=1, id=number, github="https://github.com/some/sample", path="./", arguments=arguments, instruction="", oracle="",
        kind=kind, output=output,  # type: ignore[arg-type]
    )  # fmt: skip


BASH = task(1, "bash", "python train.py --opt adam --lr 0.5", {"lr": "0.5"})
PYTHON = task(
    2, "python", "from lib.core import fit\nimport torch\n\nprint(fit(torch.ones(7), steps=9))\n", {"steps": "9"}
)


@pytest.fixture
def repos(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "repos" / "sample" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "repos"


def test_every_kind_of_mutant_is_made() -> None:
    made = {m.kind for m in mutants(BASH, {"--opt": ("adam", "sgd")})} | {m.kind for m in mutants(PYTHON, {})}
    assert made == set(BARS)


def test_all_mutants_are_caught(repos: Path) -> None:
    rates = catch_rates([BASH, PYTHON], repos, jobs=2)
    assert {kind: (number, missed) for kind, (number, missed) in rates.items()} == dict.fromkeys(BARS, (1, []))


def test_a_broken_reference_is_not_mutated(repos: Path) -> None:
    assert catch_rates([task(1, "bash", "python train.py --opt nothing --lr 0.5", {"lr": "0.5"})], repos) == {}
