"""A model that cannot hold a conversation writes the arguments of one command: a prior beside what was learned; grounded drafts stay candidates."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.draft import Draft, LedgerEntry
from ml_agent.llm.form import goes_first
from ml_agent.navigator import Given, Workspace
from ml_agent.testing.misbehaviours import MISBEHAVIOURS, saying
from ml_agent.testing.model_server import first_choice

IN_WORDS = "Train on citeseer in a trial that goes by spring_7, with a pace of 0.004 and 30 rounds."


def first(play: Any, workspace: Workspace, text: str = IN_WORDS) -> Draft:
    request = play.grounded.understand(text, Given(repository="me/tinynets"))
    draft: Draft = next(play.navigator.drafts(request, workspace))
    return draft


def written(stage: Callable[..., Any], text: str, number: str = "1") -> Any:
    """A model that takes one of the programs, and writes this text for its arguments."""
    return stage(first_choice, saying(lambda seen, _answer: number if _is_choice(seen) else text), profile="form")


def _is_choice(seen: Any) -> bool:
    return str(seen.body["messages"][-1]["content"]).startswith("Programs:")


def pairs(draft: Draft) -> set[str]:
    words = draft.text.split()[2:]
    return {" ".join(pair) for pair in zip(words[::2], words[1::2], strict=True)}


WRITTEN = "--dataset citeseer --epochs 30 --lr 0.004 --name spring_7"


@pytest.mark.parametrize(
    "text", [WRITTEN, f"python train.py {WRITTEN}", f"```bash\npython train.py {WRITTEN}\n```\nSo."]
)
def test_arguments_reach_what_the_rules_do_not(text: str, stage: Callable[..., Any], workspace: Workspace) -> None:
    draft = first(written(stage, text), workspace)
    assert draft.source == "llm" and draft.entry == "train.py"
    assert pairs(draft) == {"--dataset citeseer", "--epochs 30", "--lr 0.004", "--name spring_7"}


def test_the_program_and_the_request_are_all_that_is_sent(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = written(stage, WRITTEN)
    first(play, workspace)
    _, seen = play.server.requests
    assert [message["role"] for message in seen.body["messages"]] == ["system", "user"]
    asked = seen.body["messages"][-1]["content"]
    assert asked.startswith("Command: train.py\n") and f"\n\nRequest: {IN_WORDS}" in asked
    assert "--epochs INT =10  passes over the data" in asked
    assert "tools" not in seen.body and "response_format" not in seen.body


def test_options_that_do_not_exist_are_left_out(stage: Callable[..., Any], workspace: Workspace) -> None:
    draft = first(written(stage, f"{WRITTEN} --gpus 8"), workspace)
    assert "gpus" not in draft.text and "--epochs 30" in draft.text


@pytest.mark.parametrize(
    ("number", "called"),
    [("1", "train.py"), ("2", "evaluate.py"), ("2.", "evaluate.py"), ("7", "train.py"), ("I do not know", "train.py")],
)
def test_the_model_chooses_among_the_likely_programs(
    number: str, called: str, stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = written(stage, "--dataset citeseer", number)
    first(play, workspace)
    choice, fill = (one.body["messages"][-1]["content"] for one in play.server.requests)
    assert choice.startswith("Programs:\n1. train.py") and "\n2. evaluate.py" in choice
    assert fill.startswith(f"Command: {called}\n")


def draft_of(text: str, entry: str, left: int) -> Draft:
    """A draft that leaves so many stated values without a place."""
    values = [LedgerEntry(value=str(n), text=str(n), status="not found") for n in range(left)]
    return Draft(kind="bash", text=text, workdir=".", entry=entry, because="", ledger=tuple(values))


@pytest.mark.parametrize(
    ("left", "entry", "first"),
    [(0, "a.py", True), (1, "a.py", False), (1, "b.py", True), (2, "a.py", False), (2, "b.py", False)],
)
def test_an_untrained_model_goes_first_where_it_places_more(left: int, entry: str, first: bool) -> None:
    assert goes_first(draft_of("python x", entry, left), draft_of("python a.py", "a.py", 1)) is first


@pytest.mark.parametrize(("tuned", "source"), [(True, "llm"), (False, "grounded")])
def test_a_model_with_an_adapter_goes_first_where_it_places_as_much(
    tuned: bool, source: str, stage: Callable[..., Any], workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ml_agent.llm.form.is_tuned", lambda _endpoint: tuned)
    play = written(stage, "--dataset cora --epochs 10")
    assert first(play, workspace, "Train on 'cora' for 10 epochs.").source == source


@pytest.mark.parametrize("text", ["```bash\n```", "python train.py", "-", "'--'"])
def test_an_answer_without_arguments_changes_nothing(
    text: str, stage: Callable[..., Any], workspace: Workspace
) -> None:
    assert first(written(stage, text), workspace).source == "grounded"


@pytest.mark.parametrize("name", sorted(set(MISBEHAVIOURS) - {"timeout", "drip", "key refused", "model unknown"}))
def test_no_misbehaviour_costs_the_answer(name: str, stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(first_choice, MISBEHAVIOURS[name], profile="form")
    assert first(play, workspace).text


def test_a_task_for_code_costs_no_request(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = written(stage, "python train.py --epochs 30")
    assert first(play, workspace, "Write Python code that loads the gcn network cora-small.").source == "grounded"
    assert not play.server.requests


def test_a_request_is_read_once_for_a_task(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = written(stage, "python train.py --epochs 30")
    for _ in range(3):
        first(play, workspace)
    assert len(play.server.requests) == 2
