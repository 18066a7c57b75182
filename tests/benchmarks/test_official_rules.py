"""The published rules, against a reading written apart from ours."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ml_agent.benchmarks import official
from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.predictions import Prediction
from ml_agent.benchmarks.scoring import GATES, score_all
from tests.processor_time import WAIT

on_a_busy_machine = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
VALUES = st.one_of(st.text(max_size=6), st.integers(), st.floats(allow_nan=False), st.booleans(), st.none())
OUTPUTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(["python a.py ", "run.sh ", "x.py", ".sh\n", "0.1", "Adam", " "])).map("".join),
)


def independent_arguments(output: str, arguments: dict[str, object]) -> bool:
    """Rule 1, read from the published text: no value may be absent, comparing small letters."""
    absent = [name for name in arguments if f"{arguments[name]}".lower() not in output.lower()]
    return len(absent) == 0


def independent_type(output: str, published: str) -> bool:
    """Rule 2: a dot, sh or py, and a blank make it bash."""
    bash = re.search(r"\.(sh|py) ", output) is not None
    return bash if published == "Bash Script" else not bash


@on_a_busy_machine
@given(OUTPUTS, st.dictionaries(st.text(max_size=4), VALUES, max_size=3))
def test_rule_1(output: str, arguments: dict[str, object]) -> None:
    assert official.validate_arguments(output, arguments) == independent_arguments(output, arguments)


@on_a_busy_machine
@given(OUTPUTS, st.dictionaries(st.text(max_size=4), VALUES, max_size=3), st.data())
def test_rule_1_where_values_are_there(output: str, arguments: dict[str, object], data: st.DataObject) -> None:
    for value in arguments.values():
        output += data.draw(st.sampled_from([str(value), str(value).upper(), ""]))
    assert official.validate_arguments(output, arguments) == independent_arguments(output, arguments)


@on_a_busy_machine
@given(OUTPUTS, st.sampled_from(["Bash Script", "Python Code"]))
def test_rule_2(output: str, published: str) -> None:
    kind = "bash" if published == "Bash Script" else "python"
    assert official.validate_type(output, kind) == independent_type(output, published)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("github_id", "kind", "seconds"),
    [(1, "bash", 10), (5, "bash", 4), (5, "python", 4), (11, "bash", 10), (11, "python", 7)],
)
def test_timeouts(github_id: int, kind: str, seconds: float) -> None:
    assert official.settings().timeout(github_id, kind) == seconds  # type: ignore[arg-type]


def task(number: int) -> Task:
    return Task(
        github_id=1, id=number, github="https://github.com/some/sample", path="./", arguments={"lr": "0.1"}, instruction="", oracle="",
        kind="bash", output="python a.py --lr 0.1",
    )  # fmt: skip


def test_rows_without_five_outputs_are_dropped_and_scored_apart(tmp_path_factory: pytest.TempPathFactory) -> None:
    good, bad = "python a.py --lr 0.1", "python a.py"
    predictions = [
        Prediction(github_id=1, id=1, output=(bad, good, bad, bad, bad)),
        Prediction(github_id=1, id=2, output=(good,)),
        Prediction(github_id=1, id=9, output=(good,)),
    ]
    result = score_all([task(1), task(2)], predictions, tmp_path_factory.mktemp("repos"), "official")
    summary = result.summary()
    assert result.mode == GATES == summary["mode"]
    assert (summary["n"], summary["pass@1"], summary["pass@2"], summary["pass@5"]) == (1, 0.0, 1.0, 1.0)
    assert summary["dropped_by_the_official_script"]["n"] == 1  # type: ignore[index]
    assert summary["dropped_by_the_official_script"]["pass@1"] == 1.0  # type: ignore[index]
    assert summary["dropped_by_the_official_script"]["pass@5"] is None  # type: ignore[index]
    assert [list(row["passed"]) for row in summary["rows"]] == [[False, True, False, False, False], [True]]  # type: ignore[attr-defined]
    assert [left.key for left in result.left_out] == ["1-9"]


def test_an_answer_does_not_outlive_whoever_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "repos/toy").mkdir(parents=True)
    up = tmp_path / "up"
    program = (
        "import sys\nfrom pathlib import Path\nfrom ml_agent.benchmarks import official\nfrom ml_agent.benchmarks.data import Task\n"
        "task = Task(github_id=1, id=1, github='https://x/y/toy', path='.', arguments={}, instruction='', oracle='',"
        " kind='bash', output='')\n"
        "official.executes(f': x.sh ; echo $$ > {sys.argv[2]}; exec sleep 900', task, Path(sys.argv[1]))\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "repos"), str(up)]
    scorer = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + WAIT
    while not (up.exists() and up.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.02)
    scorer.send_signal(signal.SIGINT)
    scorer.wait(WAIT)
    assert not Path("/proc", up.read_text().strip()).exists()
