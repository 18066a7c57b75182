"""An answer that makes a program show its help or its version is not the call, unless the reference asks for that."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.same_call import same_call
from ml_agent.benchmarks.strict.score import Case, score

TRAIN = "python train.py --data cora"
BOIL = "python -m kit.boil --steps 3"
CASES = [
    (TRAIN, f"{TRAIN} --help", False),
    (TRAIN, "python train.py -h", False),
    (BOIL, BOIL, True),
    (BOIL, f"{BOIL} --help", False),
    (BOIL, f"{BOIL} --version", False),
    ("python versioned.py --lr 1", "python versioned.py --lr 1 --version", False),
    ("python by_hand.py lr=1", "python by_hand.py lr=1 --help", False),
    ("python burn.py data", "python burn.py data -- --help", False),
    ("python train.py --help", "python train.py -h --data x", True),
    ("python versioned.py --version", "python versioned.py --version", True),
]


@pytest.mark.parametrize(("reference", "answer", "passes"), CASES)
def test_same_call(kit: Path, reference: str, answer: str, passes: bool) -> None:
    assert same_call(_task(reference), answer, kit).passed == passes


@pytest.mark.parametrize(("reference", "answer", "passes"), CASES)
def test_strict(kit: Path, reference: str, answer: str, passes: bool) -> None:
    verdict = score(answer, Case(root=kit, path=".", kind="bash", arguments={}, reference=reference))
    assert verdict.passed == passes, verdict.reason
    assert passes or verdict.reason.startswith("only-shows: ")


def test_who_is_asked_for_help_wants_no_call(kit: Path) -> None:
    task = _task("python versioned.py --help")
    assert same_call(task, "python versioned.py", kit).reason_class == "missing"
    assert same_call(task, "python versioned.py --version", kit).reason_class == "unasked"


def _task(reference: str) -> Task:
    return Task(
        github_id=1, id=1, github="https://github.com/some/kit", path="./", arguments={}, instruction="", oracle="",
        kind="bash", output=reference,
    )  # fmt: skip
