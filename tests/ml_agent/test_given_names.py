"""Values given by name: one with what the sentence says of the same thing, and no name that nothing takes."""

import pytest

import ml_agent
from ml_agent.errors import UsageError
from ml_agent.navigator import Given
from ml_agent.understanding import understood
from tests.ml_agent.offline.conftest import Make, repository

__all__ = ["repository"]

SCRIPT = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
parser.add_argument("--n_epochs", type=int, default=5, help="how often the data are seen")
parser.add_argument("--n_points", type=int, default=100, help="how many points are drawn")
parser.parse_args()
"""
FILES = {"fit.py": SCRIPT, "README.md": "# Fit\n\nFit a model to points:\n\n```bash\npython fit.py --lr 0.2\n```\n"}


def texts(instruction: str, **given: str) -> list[str]:
    request = understood(instruction, Given(arguments=tuple(given.items())))
    return [value.text for value in request.values if value.kind == "number"]


def test_what_is_given_by_name_counts_where_the_sentence_says_otherwise() -> None:
    assert texts("fit with a learning rate of 0.5 on 30 points", lr="0.1") == ["lr=0.1", "30"]


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({"n_epochs": "25"}, "--n_epochs 25"),
        ({"epochs": "25"}, "--n_epochs 25"),
        ({"learning-rate": "0.3"}, "--lr 0.3"),
    ],
)
def test_it_is_placed_once_under_the_options_own_name(repository: Make, given: dict[str, str], command: str) -> None:
    root = repository(FILES).workspace().index.root
    result = ml_agent.solve(
        "fit the model for 25 epochs", repo=str(root), arguments=given, run="none", navigator="offline"
    )
    assert result.answer is not None and command in result.answer.text and "n_points 25" not in result.answer.text


def test_an_unknown_name_ends_the_run_with_the_nearest(repository: Make) -> None:
    root = repository(FILES).workspace().index.root
    with pytest.raises(UsageError, match=r"--arg n_epoch5: no option here has that name; the nearest are n_epochs"):
        ml_agent.solve("fit the model", repo=str(root), arguments={"n_epoch5": "3"}, run="none", navigator="offline")
