"""What a call takes from an example."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from ml_agent.matching.after_example import (
    example_values,
    is_filled,
    is_introduced,
    merged,
    nearest_example,
    replaces_one,
)
from ml_agent.matching.entries import EntryPoint, ExampleCall
from ml_agent.matching.mentions import read_request
from ml_agent.matching.slots import Slot
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.examples import Example
from ml_agent.tools.signatures.model import Option, Signature

SIGNATURE = Signature(
    path="train.py",
    options=tuple(
        Option(dest=name, flags=(f"--{name}",)) for name in ("name", "size", "lr", "gpu_ids", "config", "n_gpus")
    ),
)


def entry(*examples: tuple[str, Mapping[str, Any], str], variables: Mapping[str, str] | None = None) -> EntryPoint:
    """An entry point with examples: text, values by dest, heading."""
    made = EntryPoint.__new__(EntryPoint)
    shown = tuple(
        ExampleCall(
            Example(kind="bash", text=text, path="README.md", line=place, headings=(heading,), entry="train.py", workdir="."),
            parse_command(text).invocations[0], dict(values),
        )
        for place, (text, values, heading) in enumerate(examples)
    )  # fmt: skip
    vars(made).update(signature=SIGNATURE, facts=None, example_calls=shown, variables=variables or {})
    return made


FACES = ("python train.py --name faces_512 --size 512", {"name": "faces_512", "size": 512}, "Faces")
CITIES = ("python train.py --name cities_512 --size 512", {"name": "cities_512", "size": 512}, "Cities")


def nearest(text: str, one: EntryPoint, placed: Mapping[str, Any] | None = None) -> tuple[str, float]:
    shown, said = nearest_example(read_request(text), one, placed or {})
    return (shown.example.text if shown is not None else "", said)


def test_the_example_that_says_most_of_the_request_is_nearest() -> None:
    assert nearest("Train 'cities' at 512 pixels", entry(FACES, CITIES)) == (CITIES[0], 1.0)


def test_of_two_that_say_as_much_the_one_with_fewer_changes_is_nearest() -> None:
    other = ("python train.py --name cities_512 --lr 512", {"name": "cities_512", "lr": 512}, "Cities")
    assert nearest("Train 'cities' at 512", entry(other, CITIES), {"lr": "0.1", "size": "512"})[0] == CITIES[0]


def test_of_two_alike_the_heading_decides() -> None:
    first = ("python train.py --size 512", {"size": 512}, "Evaluation")
    second = ("python train.py --size 512", {"size": 512}, "Training from scratch")
    one = entry(first, second)
    shown, _ = nearest_example(read_request("Do the training from scratch at 512"), one, {})
    assert shown is one.example_calls[1]


def test_a_request_that_states_nothing_is_said_by_no_example() -> None:
    assert nearest("Train it", entry(FACES))[1] == 0.0
    assert nearest_example(read_request("Train it"), entry(), {}) == (None, 0.0)


def test_several_cards_are_left_out_where_a_single_one_is_wanted() -> None:
    many = ("python train.py --gpu_ids 0,1,2 --size 512", {"gpu_ids": "0,1,2", "size": 512}, "")
    one = entry(many)
    assert example_values(read_request("Train on a single GPU"), one, one.example_calls[0]) == {"size": 512}
    assert "gpu_ids" in example_values(read_request("Train on all GPUs"), one, one.example_calls[0])
    assert nearest("Train 'faces' at 512 on a single GPU", entry(many, FACES))[0] == FACES[0]


VARIABLE = ("python train.py --config $DIR/config.json", {"config": "$DIR/config.json"}, "")


def test_a_variable_is_what_the_user_has_in_its_place() -> None:
    one = entry(VARIABLE, variables={"DIR": "/path/to/uncased_L-12"})
    said = read_request("Train with ./m/cased_L-24")
    assert example_values(said, one, one.example_calls[0]) == {"config": "./m/cased_L-24/config.json"}
    assert is_filled(said, one, one.example_calls[0])
    assert not is_filled(read_request("Train with data.csv"), one, one.example_calls[0])


@pytest.mark.parametrize(
    ("base", "placed", "call"),
    [
        ({"size": "512"}, {"size": "256"}, {"size": "256"}),
        # What repeats an old value in another place follows its change.
        ({"size": "512", "name": "city_512"}, {"size": "256"}, {"size": "256", "name": "city_256"}),
        # A folder of the user's where the example has a file in it.
        ({"config": "./m/bert/c.json"}, {"config": "bert"}, {"config": "./m/bert/c.json"}),
        ({"config": "./m/bert/c.json"}, {"config": "./m/"}, {"config": "./m/bert/c.json"}),
        ({"config": "./m/bert/c.json"}, {"config": "./gpt"}, {"config": "./gpt"}),
        # A name that the example says as a part of another value.
        ({"name": "ECL_96", "data": "custom"}, {"data": "ECL"}, {"name": "ECL_96", "data": "custom"}),
        ({"name": "ECL_96", "data": "custom"}, {"data": "96"}, {"name": "ECL_96", "data": "96"}),
        ({}, {"lr": "0.1"}, {"lr": "0.1"}),
    ],
)
def test_the_users_values_stand_in_place_of_the_examples(base: Any, placed: Any, call: Any) -> None:
    assert merged(base, placed) == call


def test_an_option_for_use_instead_of_an_asked_one_is_none_of_the_call() -> None:
    table = Option(dest="input", flags=("--input",), help="CSV file, instead of a source")
    assert replaces_one(table, {"source"})
    assert not replaces_one(table, {"size"})
    assert not replaces_one(table, {"source", "input"})


def test_an_example_is_the_way_that_its_introduction_alone_names() -> None:
    one = entry(CITIES, FACES)
    shown = [
        ExampleCall(msgspec.structs.replace(call.example, introduction=text), call.invocation, call.values)
        for call, text in zip(one.example_calls, ("Then train:", "For hierarchical training of faces:"), strict=True)
    ]
    vars(one).update(example_calls=tuple(shown), slots=())
    assert is_introduced(read_request("Train hierarchically"), one, shown[1])
    assert not is_introduced(read_request("Train it for long"), one, shown[1])
    vars(one).update(slots=(Slot(Option(dest="hierarchical", flags=("--hierarchical",))),))
    assert not is_introduced(read_request("Train hierarchically"), one, shown[1])


def test_the_words_that_a_script_hands_on_are_no_value() -> None:
    one = entry(("python train.py --name faces $@", {"name": "faces", "config": "$@"}, "Faces"))
    assert example_values(read_request("Train faces"), one, one.example_calls[0]) == {"name": "faces"}


def test_what_a_change_has_put_in_is_not_changed_again() -> None:
    base = {"out": "runs", "name": "runs_base", "log": "runs/base"}
    placed = {"out": "base/new", "name": "other"}
    assert merged(base, placed)["log"] == "base/new/base"


RESUMED = (
    "python train.py --name city --resume",
    {"name": "city", "resume": True},
    "Go on with the training of a city",
)
PLAIN = ("python train.py --name city", {"name": "city"}, "Train")


def test_the_example_without_a_switch_that_nobody_asked_for_is_nearer() -> None:
    made = entry(RESUMED, PLAIN)
    options = (*SIGNATURE.options, Option(dest="resume", flags=("--resume",), nargs="0", switch_value="True"))
    vars(made)["signature"] = msgspec.structs.replace(SIGNATURE, options=options)
    text = "train on the city"
    assert nearest_example(read_request(text), made, {"name": "city"})[0] == made.example_calls[1]
    assert nearest_example(read_request(text), made, {"name": "city", "resume": True})[0] == made.example_calls[0]
