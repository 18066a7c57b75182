"""The published rules, against a reading written apart from ours."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ml_agent.benchmarks import official
from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.predictions import Prediction
from ml_agent.benchmarks.scoring import GATES, score_all

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


def task(number: int) -> Task:
    return Task(
        github_id=1, id=number, github="https://github.com/some/sample", path="./", arguments={"lr": "0.1"}, instruction="",
        kind="bash", output="python a.py --lr 0.1",
    )  # fmt: skip


def test_rows_count_by_the_published_rules(tmp_path_factory: pytest.TempPathFactory) -> None:
    good, bad = "python a.py --lr 0.1", "python a.py"
    predictions = [
        Prediction(github_id=1, id=1, output=(bad, good, bad, bad, bad)),
        Prediction(github_id=1, id=2, output=(good,)),
        Prediction(github_id=1, id=9, output=(good,)),
    ]
    result = score_all([task(1), task(2)], predictions, tmp_path_factory.mktemp("repos"), "official")
    summary = result.summary()
    assert result.mode == GATES == summary["mode"]
    assert (summary["n"], summary["pass@1"], summary["pass@2"], summary["pass@5"]) == (2, 0.5, 1.0, 1.0)
    assert [list(row["passed"]) for row in summary["rows"]] == [[False, True, False, False, False], [True]]  # type: ignore[attr-defined]
    assert [left.key for left in result.left_out] == ["1-9"]
