"""An answer that would break the scorer fails alone, and none keeps it busy."""

import shlex
import time
from pathlib import Path

import pytest

from ml_agent.benchmarks import scoring
from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.predictions import Prediction
from ml_agent.benchmarks.same_call.model import Verdict
from ml_agent.benchmarks.scoring import score_all
from ml_agent.benchmarks.strict.collector import Collector
from ml_agent.benchmarks.strict.execute import judge_words
from ml_agent.benchmarks.strict.python_text import strip_python
from ml_agent.benchmarks.strict.writable import executables
from ml_agent.testing.git_folders import write_files
from tests.hostile.test_host_reports import done

HELD_BY = "benchmarks.scoring, benchmarks.strict.python_text, benchmarks.strict.writable, benchmarks.strict.collector"
GOOD = "python fit.py --lr 0.1"
FIT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\np.parse_args()\n"
BAD = "python fit.py --lr 0.1 \ud800"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_files(tmp_path / "sample", {"fit.py": FIT, "a/run.sh": "x\n", "a/b/c.sh": "x\n"})
    return (tmp_path / "sample").resolve()


def task(number: int) -> Task:
    return Task(
        github_id=1, id=number, github="https://github.com/some/sample", path="./", arguments={"lr": "0.1"}, instruction="", oracle="",
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
    first, second = score_all([task(0), task(1)], predictions, root.parent, "same-call", 1).rows
    assert (first.passed, second.passed) == ((True, False, True), (False, True))
    assert first.reason[1].startswith(f"cannot be judged: {type(error).__name__} ") and "\n" not in first.reason[1]
    assert first.error_class == ("", "cannot be judged", "")
    lengths = {
        len(value) for value in (first.passed, first.reason, first.type, first.executes, first.hits, first.gates)
    }
    assert lengths == {3} and not first.arguments


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_what_no_answer_brings_about_ends_the_scoring(
    error: BaseException, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "same_call", breaks(error))
    with pytest.raises(type(error)):
        score_all([task(0)], [Prediction(github_id=1, id=0, output=(BAD,))], root.parent, "same-call", 1)


@pytest.mark.parametrize("mode", ["strict", "corrected", "official"])
def test_every_mode_goes_on(mode: str, root: Path) -> None:
    found = score_all([task(0)], [Prediction(github_id=1, id=0, output=(BAD, GOOD))], root.parent, mode, 1)
    rows = found.rows + found.apart
    assert mode == "official" or rows[0].passed == (False, True)
    assert mode == "official" or rows[0].reason[0].startswith("cannot be judged: UnicodeEncodeError")


def test_a_long_chain_of_names_is_read_at_once() -> None:
    start = time.process_time()
    chain = "a0 = 5\n" + "".join(f"a{n} = a{n - 1}\n" for n in range(1, 3000))
    assert strip_python(chain + "f(3)\n").split() == ["f(3)"]
    assert "5" not in strip_python("x = " + "not " * 150 + "5\n" + "y = " + "-" * 80 + "5\n")
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("**.sh", []), ("a/**.sh", ["a/run.sh"]), ("**/*.sh", ["a/b/c.sh", "a/run.sh"]), ("*" * 300, []), ("x" * 300, []),
        ("/".join(["**"] * 12) + "/*", []), ("[", []), ("a/*.sh", ["a/run.sh"]), ("a", ["a/b/c.sh", "a/run.sh"]),
        ("y/" * 3000 + "x", []),
    ],
)  # fmt: skip
def test_words_of_chmod_are_patterns_with_a_limit(word: str, found: list[str], root: Path) -> None:
    files = executables(f"chmod +x {word}", root, root)
    assert sorted({str(file.relative_to(root)) for file in files}) == found


def test_a_link_to_our_interpreter_is_not_the_judge(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert done(root, "python fit.py").ok
    python, *words = judge_words()
    link = f"/bin/ln -s {python} /tmp/linked; /tmp/linked {shlex.join(words)} fit.py; /bin/rm -f /tmp/linked"
    assert done(root, link).code == "spoilt-report"
    monkeypatch.setattr(Collector, "_is_judge", lambda _self, _pid: True)
    assert done(root, link).ok
