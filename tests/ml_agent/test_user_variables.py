"""Names of code that the user says are there."""

import pytest

from ml_agent.conversation.verdict import is_given, without_given
from ml_agent.tools.findings import Finding


@pytest.mark.parametrize(
    ("name", "instruction"),
    [
        ("G", "In my script there is already a networkx graph called G; embed it."),
        ("Y", "use a dropout on arrays X and Y."),
        ("df", "group df by day"),
        ("train_x", "fit it on train_x"),
        ("frame", "smooth `frame` with a window of 3"),
        ("graph", "there is a variable graph already"),
    ],
)
def test_a_name_that_the_user_speaks_of_is_there(name: str, instruction: str) -> None:
    assert is_given(name, instruction)


@pytest.mark.parametrize(
    ("name", "instruction"),
    [
        ("data", "train it on my data"),
        ("X", "train it on X/train.csv"),
        ("df", "read df.csv"),
        ("G", "train a graph network"),
        ("", "anything"),
    ],
)
def test_a_plain_word_or_a_file_is_no_variable(name: str, instruction: str) -> None:
    assert not is_given(name, instruction)


def test_only_what_is_not_defined_is_advice_then() -> None:
    found = [Finding(code="undefined-name", message="", subject=name) for name in ("G", "H")]
    found.append(Finding(code="no-such-name", message="", subject="G"))
    assert [one.severity for one in without_given(found, "a graph called G")] == ["warning", "error", "error"]
