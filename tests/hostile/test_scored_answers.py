"""An answer that would break the scorer fails alone, and none keeps it busy."""

from pathlib import Path

import pytest

from ml_agent.benchmarks import scoring
from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.predictions import Prediction
from ml_agent.benchmarks.same_call import Verdict
from ml_agent.benchmarks.scoring import score_all
from tests.hostile.test_host_reports import pytestmark
from tests.servers.git_folders import write_files

__all__ = ["pytestmark"]
HELD_BY = "benchmarks.scoring"
GOOD = "python fit.py --lr 0.1"
FIT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\np.parse_args()\n"
BAD = "python fit.py --lr 0.1 \ud800"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_files(tmp_path / "sample", {"fit.py": FIT, "a/run.sh": "x\n", "a/b/c.sh": "x\n"})
    return (tmp_path / "sample").resolve()


def task(number: int) -> Task:
    return Task(
        github_id=1, id=number, github="https://github.com/some/sample", path="./", arguments={"lr": "0.1"}, instruction="",
        kind="bash", output=GOOD,
    )  # fmt: skip


def breaks(error: BaseException) -> object:
    """A scorer that one answer breaks."""

    def judge(_task: Task, text: str, _root: Path) -> Verdict:
        if text == BAD:
            raise error
        return Verdict(passed=bool(text), reason_class="" if text else "no answer")

    return judge


@pytest.mark.parametrize("error", [OSError(36, "File name too long"), RecursionError("deep"), ValueError("x\ny")])
def test_an_answer_that_breaks_the_scorer_fails_alone(
    error: Exception, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "same_call", breaks(error))
    predictions = [Prediction(github_id=1, id=n, output=(GOOD, BAD, GOOD)[n:]) for n in range(2)]
    one, other = score_all([task(0), task(1)], predictions, root.parent, "same-call", 1).rows
    assert (one.passed, other.passed) == ((True, False, True), (False, True))
    assert one.reason[1].startswith(f"cannot be judged: {type(error).__name__} ") and "\n" not in one.reason[1]
    assert {len(value) for value in (one.passed, one.reason, one.error_class, one.gates, one.arguments)} == {3}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_what_no_answer_brings_about_ends_the_scoring(
    error: BaseException, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "same_call", breaks(error))
    with pytest.raises(type(error)):
        score_all([task(0)], [Prediction(github_id=1, id=0, output=(BAD,))], root.parent, "same-call", 1)


@pytest.mark.parametrize("mode", ["same-call", "official"])
def test_every_mode_goes_on(mode: str, root: Path) -> None:
    found = score_all([task(0)], [Prediction(github_id=1, id=0, output=(BAD, GOOD))], root.parent, mode, 1)
    (row,) = found.rows
    assert row.passed[1] and (mode == "official" or not row.passed[0])
