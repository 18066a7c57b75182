"""A plain word as the place to save to: only where the whole wording says so, and an option for results is free."""

import pytest

from ml_agent.matching.mentions import read_request
from ml_agent.matching.save_places import place_saves, save_places
from ml_agent.matching.slots import Slot
from ml_agent.matching.spelled import spelled_slots
from ml_agent.matching.stated import stated_values
from ml_agent.tools.signatures.model import Option

INPUT = Slot(Option(dest="input", flags=("--input",), help="text file to read"))
SCORES = Slot(Option(dest="output", flags=("--output",), default="scores.json", help="JSON file of the scores"))
PLOT = Slot(Option(dest="save_plot", flags=("--save-plot",), default="plot.png", help="file of the plot"))
EPOCHS = Slot(Option(dest="epochs", flags=("--epochs",), type="int", default="3"))


def named(text: str) -> list[str]:
    statement = read_request(text)
    return [statement.tokens[place].value for place in save_places(statement)]


@pytest.mark.parametrize(
    "text",
    [
        "score a.txt and save the scores to best",
        "write the scores of each sentence to best, please",
        "Store the result under best.",
        "save all into best and stop",
    ],
)
def test_a_plain_word_as_the_place(text: str) -> None:
    assert named(text) == ["best"]
    (placed,) = place_saves(read_request(text), (INPUT, SCORES, EPOCHS), ())
    assert (placed.slot, placed.values) == (1, ("best",))
    assert [(one.value, one.required) for one in stated_values(text)][-1] == ("best", False)


@pytest.mark.parametrize(
    "text",
    [
        "save the scores to disk",
        "save the scores to a file",
        "write it to stdout",
        "save the model to onnx",
        "load the model saved to best",
        "save memory, go to best",
        "save the scores, and convert a.txt to best",
        "save the scores to best practice",
        "write to best.json",
        "set it to best",
    ],
)
def test_other_wordings_name_no_place(text: str) -> None:
    assert named(text) == []


def test_a_place_goes_only_where_one_option_is_free() -> None:
    text = "save the scores to best"
    spelled, _ = spelled_slots(read_request(f"{text} with --output x.json"), (INPUT, SCORES))
    assert place_saves(read_request(text), (INPUT, SCORES), spelled) == []
    assert place_saves(read_request(text), (INPUT, EPOCHS), ()) == []
    assert [one.slot for one in place_saves(read_request(text), (SCORES, PLOT), ())] == [0]
    assert place_saves(read_request("save all to best"), (SCORES, PLOT), ()) == []
    assert place_saves(read_request(f"{text} and write the log to a.json"), (INPUT, SCORES), ()) == []
