"""A model that cannot hold a conversation fills in calls, and grounded drafts are candidates among them."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.draft import Draft
from ml_agent.llm.form import written
from ml_agent.navigator import Given, Workspace
from ml_agent.testing.model_server import Answer, Brain, Seen
from tools.signatures.model import Option, Signature

TASK = "Please train on Citeseer for 30 epochs with a learning rate of 0.05."


def filling(**values: Any) -> Brain:
    """Sets these options wherever they are asked for, and leaves the others."""

    def brain(seen: Seen) -> Answer:
        name, schema = next(iter(seen.functions.items()))
        return Answer(name, {key: values.get(key) for key in schema["properties"]})

    return brain


def first(play: Any, workspace: Workspace, text: str = TASK) -> Draft:
    request = play.grounded.understand(text, Given(repository="me/tinynets"))
    draft: Draft = next(play.navigator.drafts(request, workspace))
    return draft


def test_the_form_reaches_what_the_rules_do_not(stage: Callable[..., Any], workspace: Workspace) -> None:
    text = "Please train on Citeseer, going over it 30 times, and call it spring_7."
    play = stage(filling(dataset="citeseer", epochs=30, name="spring_7"), profile="form")
    draft = first(play, workspace, text)
    assert {"--dataset citeseer", "--epochs 30", "--name spring_7"} <= {
        " ".join(pair) for pair in zip(draft.text.split()[2::2], draft.text.split()[3::2], strict=True)
    }


def test_each_entry_point_is_shown_as_the_command_that_is_filled(
    stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = stage(filling(), profile="form")
    assert first(play, workspace).source == "grounded"
    asked = [seen.text for seen in play.server.requests]
    assert len(asked) == 2 and all(TASK in text for text in asked)
    assert any("Program: python train.py" in text for text in asked)
    assert any("Program: python evaluate.py" in text for text in asked)


@pytest.mark.parametrize("values", [{"epochs": 99}, {"name": "default_run"}, {"dataset": "cora"}])
def test_what_the_user_did_not_say_is_not_taken(
    values: dict[str, Any], stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = stage(filling(**values), profile="form")
    assert str(*values.values()) not in first(play, workspace).text


def test_a_call_that_breaks_the_check_gives_way(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(filling(checkpoint="Citeseer"), profile="form")
    assert "train.py" in first(play, workspace).text


def test_a_task_for_code_costs_no_form(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(filling(), profile="form")
    assert first(play, workspace, "Write Python code that loads the gcn network cora-small.").source == "grounded"
    assert not play.server.requests


def test_the_form_is_filled_once_for_a_task(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(filling(epochs=30), profile="form")
    for _ in range(3):
        first(play, workspace)
    assert len(play.server.requests) == 2


def test_values_that_cannot_be_written_are_left_out() -> None:
    signature = Signature(path="train.py", options=(Option(dest="lr", flags=("--lr",), type="float"),))
    assert written("python train.py", signature, {"lr": 0.5, "nothing": 3}) == "python train.py --lr 0.5"
    assert written("python other.py", signature, {"lr": 0.5}) is None
