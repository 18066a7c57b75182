"""What became of an answer is kept by content, and done again where something that it depends on is another."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.kept_rows import read_kept
from ml_agent.benchmarks.strict import on_disk
from ml_agent.benchmarks.strict import score as scoring
from ml_agent.benchmarks.strict.execute import Execution, Job, run
from ml_agent.benchmarks.strict.libraries import Libraries
from ml_agent.benchmarks.strict.score import Case, score

SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\nprint(p.parse_args())\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository, apart from the cache."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "fit.py").write_text(SCRIPT)
    return folder


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The answers that were run."""
    seen: list[str] = []

    def counted(job: Job, libraries: Libraries) -> Execution:
        seen.append(job.text)
        return run(job, libraries)

    monkeypatch.setattr(scoring, "run", counted)
    return seen


def test_a_second_call_runs_nothing(root: Path, runs: list[str]) -> None:
    case = Case(root=root, path=".", kind="bash", arguments={})
    answers = ("python fit.py --lr 1", "python fit.py --rate 1")
    first = [score(text, case) for text in answers]
    _forget()
    assert [score(text, case) for text in answers] == first
    assert [v.passed for v in first] == [True, False]
    assert runs == list(answers)


def test_another_repository_is_looked_at_again(root: Path, runs: list[str]) -> None:
    case = Case(root=root, path=".", kind="bash", arguments={})
    assert score("python fit.py --lr 1", case).passed
    (root / "fit.py").write_text(SCRIPT.replace("--lr", "--rate"))
    _forget()
    assert not score("python fit.py --lr 1", case).passed
    assert len(runs) == 2


def test_what_may_be_the_machines_own_end_is_not_kept(root: Path, runs: list[str]) -> None:
    case = Case(root=root, path=".", kind="bash", arguments={})
    for _ in range(2):
        assert score("ls", case).reason.startswith("nothing-runs")
        _forget()
    assert len(runs) == 2


def test_a_spoilt_file_is_done_again(root: Path, runs: list[str]) -> None:
    file = on_disk.kept_file("strict-runs", root, (".", "bash", "", "python fit.py"))
    file.parent.mkdir(parents=True)
    file.write_text("{")
    assert score("python fit.py", Case(root=root, path=".", kind="bash", arguments={})).passed
    assert len(runs) == 1 and read_kept(file, Execution) is not None


def _forget() -> None:
    """As in another process."""
    scoring._execute.cache_clear()
    on_disk._version.cache_clear()
