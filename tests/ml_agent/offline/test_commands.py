"""Commands composed from examples and signatures."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.conversation.verdict import examine
from ml_agent.navigator import Given

TRAIN = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--dataset", choices=["cora", "citeseer", "pubmed"], default="cora")
    parser.add_argument("--lr", type=float, default=0.01, help="learning rate")
    parser.add_argument("--n-epochs", type=int, default=200, help="number of training epochs")
    parser.add_argument("--gpu", type=int, default=-1, help="gpu")
    parser.add_argument("--sparse-backward", action="store_true")
    parser.add_argument("--no-early-stop", action="store_true")
    parser.add_argument("--data-dir", required=True)
    args = parser.parse_args()
    print(args)
"""
README = """
    # Graph things

    ## Training

    Train the model:

    ```bash
    python train.py --dataset pubmed --data-dir data/graphs --lr 0.05
    ```
"""
FILES = {"train.py": TRAIN, "README.md": README}


def test_the_example_takes_the_values_of_the_user(repository: Callable[..., Any]) -> None:
    draft = repository(FILES).answer(
        "Train on the Citeseer dataset with a learning rate of 0.001 for 50 epochs on GPU #3."
    )
    assert draft.kind == "bash"
    assert draft.sound
    assert draft.text == "python train.py --dataset citeseer --lr 0.001 --n-epochs 50 --gpu 3 --data-dir data/graphs"
    assert {entry.value: entry.where for entry in draft.ledger}["50"] == "--n-epochs 50"


def test_switches_that_are_worded(repository: Callable[..., Any]) -> None:
    draft = repository(FILES).answer("Train with sparse backward and without early stopping.")
    assert "--sparse-backward" in draft.text
    assert "--no-early-stop" in draft.text


def test_a_bare_signature_gets_what_is_required(repository: Callable[..., Any]) -> None:
    draft = repository({"train.py": TRAIN}).answer("Train on pubmed with learning rate 0.5")
    assert draft.text.startswith("python train.py ")
    assert re.search(r"--data-dir \S+", draft.text)
    assert "--lr 0.5" in draft.text


def test_later_attempts_differ_and_the_best_comes_first(repository: Callable[..., Any]) -> None:
    place = repository(FILES | {"evaluate.py": TRAIN.replace("--lr", "--rate")})
    drafts = place.answers("Train on Citeseer with a learning rate of 0.001.", count=5)
    texts = [draft.text for draft in drafts]
    assert len(texts) >= 2
    assert len(set(texts)) == len(texts)
    assert drafts[0].sound


def test_the_same_request_gives_the_same_answer(repository: Callable[..., Any]) -> None:
    place = repository(FILES)
    drafts = place.answers("Train on Citeseer.", 3)
    assert drafts and place.answers("Train on Citeseer.", 3) == drafts


def test_a_user_value_is_data_for_the_shell(repository: Callable[..., Any]) -> None:
    draft = repository(FILES).answer("Train it.", arguments=(("data_dir", "x; rm -rf $(pwd)"),))
    assert "'x; rm -rf $(pwd)'" in draft.text


@pytest.mark.parametrize(
    ("said", "given"),
    [("True", True), ("true", True), ("yes", True), ("1", True), ("false", False), ("no", False), ("0", False)],
)
def test_a_switch_is_given_by_any_word_for_yes_and_no(repository: Callable[..., Any], said: str, given: bool) -> None:
    place = repository(FILES)
    draft = place.answer("Train the model on Cora.", arguments=(("sparse_backward", said),))
    checked = examine(draft, place.navigator.understand("Train the model on Cora.", Given(arguments=(("sparse_backward", said),))), place.workspace())  # fmt: skip
    assert ("--sparse-backward" in draft.text) is given
    assert checked.sound and {one.status for one in checked.ledger} <= {"honoured", "default"}
