"""A model that cannot hold a conversation lists what a request means; it is an opinion beside what was learned, and grounded drafts stay candidates."""

from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from ml_agent.draft import Draft
from ml_agent.llm.form import Form
from ml_agent.navigator import Given, Workspace
from ml_agent.proof import examine
from ml_agent.testing.misbehaviours import MISBEHAVIOURS, saying
from ml_agent.testing.model_server import first_choice

IN_WORDS = "Train on citeseer in a trial called spring_7, 30 rounds through the data."


def first(play: Any, workspace: Workspace, text: str = IN_WORDS) -> Draft:
    request = play.grounded.understand(text, Given(repository="me/tinynets"))
    draft: Draft = next(play.navigator.drafts(request, workspace))
    return draft


def written(stage: Callable[..., Any], text: str) -> Any:
    """A model that writes this text, whatever it is asked."""
    return stage(first_choice, saying(lambda _seen, _answer: text), profile="form")


def pairs(draft: Draft) -> set[str]:
    words = draft.text.split()[2:]
    return {" ".join(pair) for pair in zip(words[::2], words[1::2], strict=True)}


LISTED = "on citeseer = --dataset citeseer\nin a trial called spring_7 = --name spring_7\n30 rounds = --epochs 30\ndone"


@pytest.mark.parametrize("text", [LISTED, "python train.py --dataset citeseer --epochs 30 --name spring_7"])
def test_a_list_reaches_what_the_rules_do_not(text: str, stage: Callable[..., Any], workspace: Workspace) -> None:
    play = written(stage, text)
    draft = first(play, workspace)
    assert draft.source == "llm" and draft.entry == "train.py"
    assert pairs(draft) == {"--dataset citeseer", "--epochs 30", "--name spring_7"}


@pytest.mark.parametrize(
    ("made", "sources"),
    [("python train.py --name spring_7", ["grounded", "llm"]), ("python train.py --name spring_7 --epochs 30", ["llm", "grounded"])],
)  # fmt: skip
def test_a_command_that_leaves_values_out_comes_after_the_rules(
    made: str, sources: list[str], stage: Callable[..., Any], workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = written(stage, made)
    request = play.grounded.understand("Train for 30 epochs; the trial is called spring_7.", Given())
    draft = examine(
        Draft(kind="bash", text=made, workdir=".", entry="train.py", because="", source="llm"), request, workspace
    )
    monkeypatch.setattr(Form, "_drafts_after", lambda *_: iter([draft]))
    monkeypatch.setattr("ml_agent.llm.form._is_settled", lambda *_: False)
    found = play.navigator.drafts(request, workspace)
    assert [one.source for one in islice(found, 2)] == sources


def test_worked_examples_come_before_the_request(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = written(stage, "python train.py")
    first(play, workspace)
    (seen,) = play.server.requests
    assert [message["role"] for message in seen.body["messages"]] == [
        "system",
        *["user", "assistant"] * 3,
        "user",
    ]
    asked = seen.body["messages"][-1]["content"]
    assert asked.startswith("Command: python train.py [options]\n") and asked.endswith(f"Request: {IN_WORDS}")
    assert "--epochs INT: passes over the data" in asked
    assert "tools" not in seen.body and "response_format" not in seen.body


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("30 rounds = --epochs 30\nthe trial = --lr 99", "99"),
        ("30 rounds = --epochs 30\ncalled = --name default_run", "default_run"),
        ("30 rounds = --epochs 30 --gpus 8\non many = --gpus 8", "gpus"),
        ("python train.py --epochs 30 --gpus 8 --verbose", "gpus"),
        ("python train.py --epochs 30 --dataset pubmed", "pubmed"),
    ],
)
def test_what_is_invented_is_left_out(text: str, absent: str, stage: Callable[..., Any], workspace: Workspace) -> None:
    draft = first(written(stage, text), workspace)
    assert absent not in draft.text and "--epochs 30" in draft.text


@pytest.mark.parametrize(
    "text",
    [
        "To train it you should first read the paper.",
        "```bash\n```",
        "python train.py",
        "-",
        "'--'",
        "rounds = nothing\ndone",
    ],
)
def test_prose_changes_nothing(text: str, stage: Callable[..., Any], workspace: Workspace) -> None:
    assert first(written(stage, text), workspace).source == "grounded"


def test_a_command_in_a_fence_with_an_open_quote_is_read(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = written(stage, "```bash\npython train.py --epoch 30 --name 'spring_7\n```\nThis trains it.")
    assert "--epochs 30" in first(play, workspace).text


@pytest.mark.parametrize("name", sorted(set(MISBEHAVIOURS) - {"timeout", "drip", "key refused", "model unknown"}))
def test_no_misbehaviour_costs_the_answer(name: str, stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(first_choice, MISBEHAVIOURS[name], profile="form")
    assert first(play, workspace).text


def test_a_call_after_an_example_that_uses_all_costs_no_request(
    stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = written(stage, "python evaluate.py")
    assert first(play, workspace, "Train on 'cora' for 10 epochs.").source == "grounded"
    assert not play.server.requests


def test_a_task_for_code_costs_no_request(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = written(stage, "python train.py --epochs 30")
    assert first(play, workspace, "Write Python code that loads the gcn network cora-small.").source == "grounded"
    assert not play.server.requests


def test_a_request_is_read_once_for_a_task(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = written(stage, "python train.py --epochs 30")
    for _ in range(3):
        first(play, workspace)
    assert len(play.server.requests) == 1
