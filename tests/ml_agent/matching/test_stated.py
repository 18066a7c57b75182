"""What a request states, as the values that are accounted for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.matching.stated import stated_values
from ml_agent.request import Value
from ml_agent.values.numbers import same_number


def found(text: str, kind: str | None = None) -> dict[str, Value]:
    """The values of a text by what would be typed; of two alike the first."""
    values: dict[str, Value] = {}
    for value in stated_values(text):
        if kind is None or value.kind == kind:
            values.setdefault(value.value, value)
    return values


@pytest.mark.parametrize(
    ("text", "typed", "near"),
    [
        ("train for half a million steps", "500000", "steps"),
        ("a total of 300,000 training steps", "300000", "steps"),
        ("a learning rate of 1e-4", "1e-4", "rate"),
        ("with the learning rate set to a commendably small value of 0.0001", "0.0001", "rate"),
        ("run it on GPU #3", "3", "gpu"),
        ("incorporate 5 stacks", "5", "stacks"),
        ("for two epochs", "2", "epochs"),
        ("continue for a hundred epochs", "100", "epochs"),
        ("the threshold as -1.0", "-1.0", "threshold"),
        ("the 25-layer embedding", "25", "layer"),
        ("hold out 30 percent for testing", "30", "testing"),
        ("keep a quarter of them for validation", "0.25", "validation"),
        ("use 10k samples", "10000", "samples"),
        ("a dropout of one tenth", "0.1", "dropout"),
        ("a weight decay of three hundredths", "0.03", "decay"),
        ("a learning rate of two times ten to the power of minus five", "2e-5", "rate"),
        ("a penalty of six and a half", "6.5", "penalty"),
        ("keep the last tenth of the rows", "0.1", "rows"),
        ("look at half of the rows", "0.5", "rows"),
    ],
)
def test_numbers_with_what_they_are_for(text: str, typed: str, near: str) -> None:
    assert near in found(text, "number")[typed].words[:4]


def test_a_number_belongs_to_the_nearest_name() -> None:
    values = found("set the learning rate to 0.01, the number of epochs to 100 and the batch size to 16", "number")
    assert values["0.01"].words[:2] == ("rate", "learning")
    assert values["100"].words[0] == "epochs"
    assert values["16"].words[:2] == ("size", "batch")


def test_an_aside_does_not_part_a_name_from_its_value() -> None:
    assert "rate" in found("The learning rate, an essential parameter, should be fixed at 0.5")["0.5"].words


def test_numbers_that_are_parts_of_names_are_none() -> None:
    values = found("the wn18rr dataset at 256p, as 2048_crop, with SQUAD2.0 and IF-I-L-v1.0")
    assert not {value.value for value in values.values() if value.kind == "number"}
    assert {"wn18rr", "256p", "2048_crop", "SQUAD2.0", "IF-I-L-v1.0"} <= set(values)


def test_a_range_is_one_value_and_its_ends_are_values() -> None:
    values = found("drop_edge_p should range between 0 to 0.5")
    assert "drop_edge_p" in values["0 0.5"].words
    assert {"0", "0.5"} <= set(values)


def test_quoted_strings_paths_and_shapes() -> None:
    values = found(
        "run './model/x' on \"../weights\" with 'a dog on a desk', 'image'.jpg and cov19.fasta, shape (50, 512, 7, 7)"
    )
    assert values["./model/x"].kind == values["../weights"].kind == values["cov19.fasta"].kind == "path"
    assert values["image.jpg"].kind == "path"
    assert values["a dog on a desk"].kind == "text"
    assert "(50,512,7,7)" in values


def test_apostrophes_are_no_quotes() -> None:
    assert not [
        value for value in stated_values("gather 'round! It's the user's './model/' folder") if " " in value.value
    ]


def test_a_quoted_parameter_name_is_no_value() -> None:
    values = found("the 'guidance_scale' parameter should be set to 5.0")
    assert "guidance_scale" not in values
    assert values["5.0"].words[0] == "guidance_scale"


def test_literal_options_keep_their_name() -> None:
    values = {value.name: value for value in stated_values("use --lr 1e-3 --amp and epochs=3") if value.name}
    assert values["lr"].value == "1e-3"
    assert values["epochs"].value == "3"
    assert values["amp"].kind == "switch"


def test_names_by_wording() -> None:
    values = found(
        "the dataset known as gowalla, a run titled first, the Encoder of CIFAR and chain A, on the called one"
    )
    assert values["gowalla"].required and values["first"].required
    assert not values["CIFAR"].required
    assert values["A"].words[0] == "chain"
    assert not {"Encoder", "one"} & set(values)


def test_structural_arguments_come_first() -> None:
    first = stated_values("train it", (("lr", "0.1"), ("data", "./x.csv")))[:2]
    assert [(value.name, value.value, value.kind, value.start) for value in first] == [
        ("lr", "0.1", "number", -1),
        ("data", "./x.csv", "path", -1),
    ]


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_and_offsets_lie_in_it(text: str) -> None:
    for value in stated_values(text):
        assert 0 <= value.start < value.end <= len(text)


@settings(deadline=None)
@given(st.floats(min_value=1e-9, max_value=1e6, allow_nan=False))
def test_decimals_are_kept_as_written(number: float) -> None:
    written = repr(number)
    assert any(
        same_number(value.value, written)
        for value in stated_values(f"a learning rate of {written}")
        if value.kind == "number"
    )


def test_a_name_with_its_number_behind_it_is_no_value() -> None:
    assert list(found("is_training 1 and enc_in 321")) == ["1", "321"]


def test_a_list_is_one_guess_beside_its_parts() -> None:
    values = found("hidden sizes 12 and 6")
    assert not values["12 6"].required
    assert values["12"].required


def test_a_module_that_is_called_is_stated() -> None:
    assert found("run it with python -m util.videos")["util.videos"].required
