"""Options as the user types them: which words are their values."""

import pytest

from ml_agent.matching.fill import fill
from ml_agent.matching.mentions import read_request
from ml_agent.matching.model import shipped
from ml_agent.matching.slots import Slot
from ml_agent.matching.spelled import spelled_slots
from ml_agent.tools.signatures.model import Option

NODES = Slot(Option(dest="nodes", flags=("--nodes",), type="int", default="1", help="number of nodes"))
GPUS = Slot(Option(dest="ngpus", flags=("--ngpus",), type="int", default="8", help="GPUs on each node"))
EPOCHS = Slot(Option(dest="epochs", flags=("--epochs",), type="int", default="10"))
FREEZE = Slot(Option(dest="freeze", flags=("--freeze",), type="int", nargs="+", default="0", help="layers to freeze"))
INPUT = Slot(Option(dest="input", flags=("-i", "--input"), nargs="+", help="files to read"))
OUTPUT = Slot(Option(dest="output", flags=("-o", "--output"), nargs="+", help="files to write"))
CARDS = Slot(Option(dest="gpu_ids", flags=("--gpu_ids",), default="0", help="gpu ids"))
CACHED = Slot(
    Option(dest="cached", flags=("--cached",), negative_flags=("--nocached",), type="bool", nargs="?bool", default="True")
)  # fmt: skip
VERSION = Slot(Option(dest="release", flags=("--release",), type="int", default="1", help="1 for the old one"))


def given(text: str, *slots: Slot) -> dict[str, tuple[str, ...]]:
    return {slots[one.slot].option.dest: one.values for one in fill(read_request(text), slots, shipped()).placed}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("use 3 --nodes of 4 GPUs each", {"nodes": ("3",)}),
        ("use --nodes of 4", {"nodes": ("4",)}),
        ("use 3 --nodes 4 times", {"nodes": ("4",)}),
        ("go on with --ngpus 4 --nodes of 7 machines", {"ngpus": ("4",), "nodes": ("7",)}),
    ],
)
def test_the_number_right_before_an_option_is_its_value(text: str, values: dict[str, tuple[str, ...]]) -> None:
    slots = (NODES, GPUS)
    placed, _ = spelled_slots(read_request(text), slots)
    assert {slots[one.slot].option.dest: one.values for one in placed} == values


def test_a_number_that_is_the_value_of_one_option_is_none_of_another() -> None:
    assert given("from epoch 4 on, of 7 --epochs", EPOCHS, NODES) == {"epochs": ("7",)}


@pytest.mark.parametrize("text", ["and --freeze for the first layers", "with --freeze as it must be"])
def test_a_common_word_is_no_value(text: str) -> None:
    assert spelled_slots(read_request(text), (FREEZE, CARDS))[0] == []


def test_letters_are_no_value_where_a_number_belongs() -> None:
    assert spelled_slots(read_request("--epochs many"), (EPOCHS,))[0] == []


def test_a_slot_whose_files_are_spelled_takes_no_others() -> None:
    text = "-i a1.tif a2.tif a3.tif, written as b1.png, b2.png and b3.png"
    assert given(text, INPUT, OUTPUT) == {
        "input": ("a1.tif", "a2.tif", "a3.tif"),
        "output": ("b1.png", "b2.png", "b3.png"),
    }


def test_the_negative_spelling_of_an_option_is_false() -> None:
    (placed,), _ = spelled_slots(read_request("in the new style and `--nocached`."), (CACHED,))
    assert placed.values == ("False",)


def test_a_switch_of_numbers_takes_the_number_that_is_typed() -> None:
    assert VERSION.boolean
    (placed,), _ = spelled_slots(read_request("--release 2"), (VERSION,))
    assert placed.values == ("2",)


RATE = Slot(Option(dest="SOLVER.BASE_LR", within="opts", type="float", default="0.1"))
CARDS_OF = Slot(Option(dest="NUM_GPUS", within="opts", type="int", default="1"))
SEED = Slot(Option(dest="seed", within="opts", type="int", default="0"))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("train with `SOLVER.BASE_LR 0.5` and `NUM_GPUS 2`", {"SOLVER.BASE_LR": ("0.5",), "NUM_GPUS": ("2",)}),
        ("override SOLVER.BASE_LR to 0.5, please", {"SOLVER.BASE_LR": ("0.5",)}),
        ("the file SOLVER.BASE_LR.txt and the seed 3", {}),
    ],
)
def test_settings_are_spelled_by_names_that_are_no_common_words(text: str, values: dict[str, tuple[str, ...]]) -> None:
    slots = (RATE, CARDS_OF, SEED)
    placed, unknown = spelled_slots(read_request(text), slots)
    assert {slots[one.slot].option.dest: one.values for one in placed} == values
    assert not unknown


def test_a_setting_in_backticks_has_its_value_behind_them() -> None:
    slots = [Slot(Option(dest="grad_clip", within="hparams", held="commas", type="float", default="1.0"))]
    (found,), _ = spelled_slots(read_request("with `grad_clip` 0.7 and so on"), slots)
    assert found.values == ("0.7",)


@pytest.mark.parametrize(
    ("text", "value"),
    [("take --output ./x and go", "./x"), ("with --output .mp4, quickly", ".mp4"), ("in --output . then", ".")],
)
def test_a_value_may_begin_with_a_point(text: str, value: str) -> None:
    assert spelled_slots(read_request(text), (OUTPUT,))[0][0].values == (value,)


@pytest.mark.parametrize("text", ["use --output.", "use --output ... and so on"])
def test_a_point_that_ends_a_sentence_is_no_value(text: str) -> None:
    assert spelled_slots(read_request(text), (OUTPUT,))[0] == []


PARAMS = Slot(Option(dest="params", flags=("--params",), nargs="+"), seen=("train.out=x", "data.use=1"))
SCORES = Slot(Option(dest="scores", flags=("--scores",), nargs="+"), seen=("kind=bleu",))
TEXTS = Slot(Option(dest="prompts", nargs="*", help="the text prompts"), seen=("the rise of man:5",))


def test_a_setting_that_no_option_is_called_by_goes_into_the_slot_for_such_pairs() -> None:
    text = "set the parameters to train.out=run and data.use=0"
    assert given(text, PARAMS, EPOCHS) == {"params": ("train.out=run", "data.use=0")}
    assert given(text, PARAMS, SCORES) == {"params": ("train.out=run", "data.use=0")}
    assert given("with kind=rouge", PARAMS, SCORES) == {"scores": ("kind=rouge",)}
    assert given("with lr=3 of 7 --epochs", EPOCHS) == {"epochs": ("7",)}


def test_a_sentence_with_a_colon_is_no_pair() -> None:
    assert (PARAMS.separator, TEXTS.separator) == ("=", "")


def test_a_key_of_a_configuration_is_spelled_by_its_whole_name() -> None:
    path = Slot(Option(dest="model.path", type="str", converter="yaml"))
    checkpoint = Slot(Option(dest="model.checkpoint", type="str", default="best.ckpt", converter="yaml"))
    assert given("with model.path /models/big, please", path, checkpoint) == {"model.path": ("/models/big",)}


@pytest.mark.parametrize(
    "text", ["backbone: swin, lr: 0.3", "use backbone: 'swin', lr: 0.3.", "lr: 0.3\nbackbone: swin"]
)
def test_a_label_is_the_whole_name_of_an_option(text: str) -> None:
    backbone = Slot(Option(dest="backbone", flags=("--backbone",), default="resnet"))
    model = Slot(Option(dest="model", flags=("--model",), default="unet"))
    rate = Slot(Option(dest="lr", flags=("--lr",), type="float", default="0.1"))
    assert given(text, model, backbone, rate) == {"backbone": ("swin",), "lr": ("0.3",)}


def test_a_sentence_with_a_colon_is_no_label() -> None:
    data = Slot(Option(dest="data", flags=("--data",), type="path"))
    assert spelled_slots(read_request("train on this data: it has 3 columns"), [data])[0] == []


@pytest.mark.parametrize(
    ("default", "text", "value"),
    [
        ("False", "with amp on", "True"),
        ("true", "with amp off", "false"),
        ("0", "with amp 1", "1"),
        ("False", "with amp=yes", "yes"),
    ],
)
def test_a_truth_value_is_written_as_its_setting_is(default: str, text: str, value: str) -> None:
    amp = Slot(Option(dest="train.amp", flags=("amp",), type="bool", nargs="?bool", default=default))
    found, _ = spelled_slots(
        read_request(text.replace("amp", "--amp")),
        [Slot(Option(dest="amp", flags=("--amp",), type="bool", nargs="?bool", default=default))],
    )
    assert amp.boolean and [one.values for one in found] == [(value,)]
