"""The model says whether a model is to be trained or used, where the wording does not."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.grounded.choices import words_of
from ml_agent.grounded.purpose import is_said
from ml_agent.navigator import Evidence, Given, Workspace
from ml_agent.testing.model_server import Answer, Seen, first_choice
from prompts import functions

SILENT = "I need Citeseer sorted into its classes, with a learning rate of 0.05."


def request_of(play: Any, text: str) -> Any:
    return play.grounded.understand(text, Given(repository="me/tinynets"))


def saying(*purposes: str) -> Callable[[Seen], Answer]:
    """Answers the question for the purpose by these in turn, every other one by its first choice."""
    left = list(purposes)

    def answer(seen: Seen) -> Answer:
        name = next(iter(seen.functions), "")
        return Answer(name, {"purpose": left.pop(0)}) if name == "say_purpose" else first_choice(seen)

    return answer


def purposes_asked(play: Any) -> list[list[str]]:
    asked = [seen.functions["say_purpose"] for seen in play.server.requests if "say_purpose" in seen.functions]
    return [schema["properties"]["purpose"]["enum"] for schema in asked]


@pytest.mark.parametrize(
    ("said", "trains"),
    [
        ((functions.USE, functions.USE), False),
        ((functions.USE, functions.TRAIN), True),
        ((functions.TRAIN,), True),
    ],
)
def test_who_wants_to_use_a_model_gets_nothing_that_trains_if_the_model_says_so_twice(
    said: tuple[str, ...], trains: bool, stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = stage(saying(*said))
    assert play.grounded.write(request_of(play, SILENT), workspace, Evidence()).draft.entry == "train.py"
    step = play.navigator.write(request_of(play, SILENT), workspace, Evidence())
    assert (step.draft.entry == "train.py") is trains
    assert purposes_asked(play) == [list(functions.PURPOSES), list(functions.PURPOSES[::-1])][: len(said)]


@pytest.mark.parametrize(
    "words", ["Train on Citeseer.", "Evaluate on Citeseer.", "Use model.pt for inference on Cora."]
)
def test_nothing_is_asked_where_the_wording_says_it(
    words: str, stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = stage(saying())
    play.navigator.write(request_of(play, words), workspace, Evidence())
    assert is_said(frozenset(words_of(words))) and not purposes_asked(play)
