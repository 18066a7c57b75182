"""What the navigator without a model promises: nothing outward unasked, values where they are meant, and no part in a model's work."""

import subprocess
import sys

import pytest

from tests.ml_agent.offline.conftest import Make
from tests.sources import ROOT, contents, sources

OPTIONS = """
    import argparse
    p = argparse.ArgumentParser(description="Train a network on points")
    p.add_argument("--data", default="data/points.csv", help="file of the points")
    p.add_argument("--out", default="results", help="folder for the results")
    p.add_argument("--units", type=int, nargs="+", default=[8], help="sizes of the hidden layers")
    p.add_argument("--grid", type=int, nargs=2, default=[10, 10], help="cells of the grid")
    p.add_argument("--share", type=float, default=0.2, help="share of the points kept for validation")
    p.add_argument("--penalty", choices=["none", "l1", "l2"], default="none", help="l1 is the lasso, l2 ridge")
    p.add_argument("--seed", type=int, default=0, help="random seed")
    p.add_argument("--dropout", type=float, default=0.0, help="dropout")
    p.add_argument("--push_to_hub", action="store_true", help="upload the network to the hub")
    p.add_argument("--delete_old", action="store_true", help="delete old results")
    p.add_argument("--lowercase", action=argparse.BooleanOptionalAction, default=True, help="ignore upper and lower case")
    p.parse_args()
"""
README = """
    # Points

    Train a network and share it:

        python train.py --data data/points.csv --push_to_hub --delete_old --units 16
"""
FILES = {"train.py": OPTIONS, "README.md": README}


def test_a_model_thinks_without_this_room() -> None:
    program = (
        "import sys, ml_agent.graph, ml_agent.choose, ml_agent.conversation.configured\n"
        "print([name for name in sys.modules if name.startswith('ml_agent.offline')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "[]\n"
    users = {
        path.relative_to(ROOT).as_posix()
        for room in ("ml_agent", "tools", "sandbox", "prompts", "benchmarks")
        for path in sources(room)
        if not path.is_relative_to(ROOT / "ml_agent/offline")
        and any(one.module.startswith("ml_agent.offline") for one in contents(path).imports)
    }
    assert users == {"ml_agent/choose.py", "benchmarks/fit.py"}


@pytest.mark.parametrize("option", ["--push_to_hub", "--delete_old"])
def test_what_acts_outward_is_set_only_where_the_sentence_says_so(repository: Make, option: str) -> None:
    place = repository(FILES)
    for words in ("Train a network on data/points.csv.", "Train a network with 16 units on data/points.csv"):
        assert all(option not in draft.text for draft in place.answers(words, 4))
    asked = {"--push_to_hub": "push it to the hub", "--delete_old": "delete old results"}[option]
    assert option in place.answer(f"Train a network with 16 units on data/points.csv and {asked}.").text


def test_a_program_that_uploads_is_no_answer_unless_that_is_asked(repository: Make) -> None:
    script = OPTIONS.replace("Train a network on points", "Push the network to the hub")
    place = repository({**FILES, "push_to_hub.py": script})
    assert all("push_to_hub.py" not in one.text for one in place.answers("Use the network on data/points.csv", 8))
    assert any("push_to_hub.py" in one.text for one in place.answers("Push the network to the hub", 8))


def test_an_example_that_uploads_is_not_adapted_unless_that_is_asked(repository: Make) -> None:
    readme = '# Nets\n\nTrain and share:\n\n```python\nfrom nets import train\n\nnet = train("a.csv")\nnet.push_to_hub("me/net")\n```\n'
    place = repository({"nets/__init__.py": "def train(path):\n    return path\n", "README.md": readme})
    assert all("push_to_hub" not in one.text for one in place.answers("In Python, train a net on b.csv", 4))
    asked = place.answer("In Python, train a net on b.csv and push it to the hub")
    assert "push_to_hub" in asked.text and '"b.csv"' in asked.text


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("Train with two hidden layers of 12 and 6 units", "--units 12 6"),
        ("Train and print a grid 40 cells wide and 20 cells high", "--grid 40 20"),
        ("Train and keep a quarter of the points for validation", "--share 0.25"),
        ("Train with 30 percent of the points kept for validation", "--share 0.3"),
        ("Train and save the results to cutouts", "--out cutouts"),
        ("Train with --seed 7 and --dropout=0.5", "--dropout 0.5"),
    ],
)
def test_values_go_where_they_are_meant(repository: Make, words: str, given: str) -> None:
    assert given in place_answer(repository, words)


@pytest.mark.parametrize(
    ("words", "not_given"),
    [
        ("Train the 124M network", "--dropout"),
        ("Train it with 3 units", "--seed 3"),
        ("Train on one GPU", "--units 1"),
    ],
)
def test_values_go_nowhere_else(repository: Make, words: str, not_given: str) -> None:
    assert not_given not in place_answer(repository, words)


def place_answer(repository: Make, words: str) -> str:
    """The first answer for the repository of points."""
    return repository({"train.py": OPTIONS}).answer(words).text
