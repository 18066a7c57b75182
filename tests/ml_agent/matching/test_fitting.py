"""Whether a slot takes a value at all."""

import pytest

from ml_agent.matching.evidence import evidence, nearness
from ml_agent.matching.fill import Callee, fill
from ml_agent.matching.fitting import counts_the_other, is_possible, spelling_in_slot, takes_kind
from ml_agent.matching.launch import PORT, PROCESSES
from ml_agent.matching.mentions import Mention, read_request
from ml_agent.matching.model import shipped
from ml_agent.matching.slots import Slot, TermWeights
from ml_agent.tools.signatures.model import Option

EVAL_BATCH = Slot(
    Option(dest="per_device_eval_batch_size", flags=("--per_device_eval_batch_size",), type="int", default="8")
)
PER_SIDE = Slot(Option(dest="points_per_side", flags=("--points-per-side",), type="int", help="points along one side"))
DEVICES = Slot(Option(dest="devices", flags=("--devices",), type="str", default="0,1,2,3", help="device ids"))
LAYERS = Slot(Option(dest="s_layers", flags=("--s_layers",), type="str", default="3,2,1", help="layers of each stack"))
EXTRA = Slot(Option(dest="env_kwargs", flags=("--env-kwargs",), nargs="+", help="keyword arguments of the env"))


def only(text: str, value: str) -> Mention:
    return next(one for one in read_request(text).mentions if one.value == value)


def given(text: str, *slots: Slot, callee: Callee = Callee()) -> dict[str, tuple[str, ...]]:
    found = fill(read_request(text), slots, shipped(), callee=callee)
    return {slots[one.slot].option.dest: one.values for one in found.placed}


def test_a_number_of_devices_is_no_amount_for_each_of_them() -> None:
    text = "on one GPU with batches of 4"
    assert counts_the_other(read_request(text), only(text, "1"), EVAL_BATCH)
    assert not counts_the_other(read_request(text), only(text, "4"), EVAL_BATCH)


def test_an_amount_with_what_it_is_for_behind_a_slash_counts_the_former() -> None:
    text = "24 points/side"
    assert not counts_the_other(read_request(text), only(text, "24"), PER_SIDE)


def test_a_slot_for_a_series_of_numbers_takes_no_name() -> None:
    assert DEVICES.series
    assert not EVAL_BATCH.series
    assert not takes_kind(DEVICES, only("on all of my RTX4090", "RTX4090"))


def test_a_series_of_numbers_goes_whole_to_the_slot_that_has_one() -> None:
    assert given("three stacks of 4, 2 and 1 layers", LAYERS)["s_layers"] == ("4,2,1",)


def test_a_slot_of_keys_and_values_takes_no_bare_word() -> None:
    assert EXTRA.separator == "="
    assert not takes_kind(EXTRA, only("show it in TensorBoard", "TensorBoard"))


@pytest.mark.parametrize(("dest", "expected"), [("device", True), ("gpu_ids", True), ("name", False)])
def test_hardware_is_a_value_only_of_what_names_it(dest: str, expected: bool) -> None:
    slot = Slot(Option(dest=dest, flags=(f"--{dest}",), type="str"))
    assert takes_kind(slot, only("run it on the GPU", "GPU")) is expected


def test_a_file_is_none_of_the_names_that_a_help_lists() -> None:
    kind = Slot(
        Option(
            dest="model_type", flags=("--model-type",), required=True, help="The type, in ['vit_h', 'vit_l', 'vit_b']"
        )
    )
    weights = Slot(Option(dest="checkpoint", flags=("--checkpoint",), required=True, help="The path to the weights."))
    expected = {"model_type": ("vit_h",), "checkpoint": ("sam.pth",)}
    assert given("segment with vit_h sam.pth", kind, weights) == expected


def test_what_is_called_is_no_value_of_it() -> None:
    model = Slot(Option(dest="model", flags=("--model",), type="str", help="name of the model"))
    callee = Callee(names=frozenset({"lmeval"}))
    assert given("the model with lm_eval", model, callee=callee) == {}


@pytest.mark.parametrize("kind", ["int", "float"])
def test_the_word_gpu_is_no_number_of_an_option_that_names_one(kind: str) -> None:
    per_gpu = Slot(Option(dest="max_frames_per_gpu", flags=("--max_frames_per_gpu",), type=kind, default="6"))  # type: ignore[arg-type]
    text = "train on a single GPU"
    assert not takes_kind(per_gpu, only(text, "GPU"))
    assert takes_kind(Slot(Option(dest="device", flags=("--device",), default="cpu")), only(text, "GPU"))


@pytest.mark.parametrize(
    ("said", "fits"), [("a resnet50_tiny one", False), ("0.4 of it", False), ("take cuda:1", True), ("on my TPU", True)]
)
def test_an_option_for_the_device_takes_devices_only(said: str, fits: bool) -> None:
    slot = Slot(Option(dest="device", flags=("--device",), type="str", default="cuda", help="where to compute"))
    assert [takes_kind(slot, one) for one in read_request(said).mentions][:1] == [fits]


def test_a_number_of_which_nothing_is_said_goes_where_a_document_shows_the_option() -> None:
    option = Option(dest="batch_size", flags=("--batch_size",), type="int", default="64")
    assert given("show it 48 images at a time", Slot(option, seen=("32",))) == {"batch_size": ("48",)}
    assert given("show it 48 images at a time", Slot(option)) == {}


def test_a_number_of_cards_counts_nothing_else() -> None:
    steps = Slot(Option(dest="steps", flags=("--steps",), type="int", default="10"))
    processes = Slot(Option(dest="workers", flags=("--workers",), type="int", help="processes"))
    for text in ("a two-GPU run", "on 2 graphics cards"):
        assert counts_the_other(read_request(text), only(text, "2"), steps)
        assert not counts_the_other(read_request(text), only(text, "2"), processes)


def test_a_device_takes_the_name_of_a_device_alone() -> None:
    where = Slot(Option(dest="model_device", flags=("--model_device",), default="cpu", help="where to run"))
    text = "with DeepSpeed on cuda:0"
    assert takes_kind(where, only(text, "cuda:0"))
    assert not takes_kind(where, only(text, "DeepSpeed"))


def test_what_its_name_says_last_may_be_no_place() -> None:
    key = Slot(
        Option(dest="checkpoint_key", flags=("--checkpoint_key",), default="teacher", help="key of the checkpoint")
    )
    weights = Slot(Option(dest="checkpoint", flags=("--checkpoint",), help="path of the weights"))
    assert given("the model in weights/small.pth", key, weights) == {"checkpoint": ("weights/small.pth",)}


def test_a_sentence_is_none_of_the_words_that_are_known() -> None:
    method = Slot(Option(dest="method", flags=("--method",), default="mean", help="'mean' or 'last'"))
    prefix = Slot(Option(dest="prompt", flags=("--prompt",), help="text before each query"))
    assert given("put 'Represent this: ' before each query", method, prefix) == {"prompt": ("Represent this: ",)}


def test_a_size_goes_into_an_option_whose_default_is_one() -> None:
    shape = Slot(Option(dest="input_shape", flags=("--input_shape",), default="640,640", help="input shape"))
    assert given("with an input shape of 416x416", shape) == {"input_shape": ("416,416",)}


@pytest.mark.parametrize(
    ("script", "fits"), [("configs/small.py", True), ("my_config.py", True), ("server.py", False), ("run.sh", False)]
)
def test_a_bare_script_is_a_program_and_no_configuration(script: str, fits: bool) -> None:
    config = Slot(Option(dest="config", flags=("--config",)))
    text = f"take {script}"
    statement, said = read_request(text), only(text, script)
    seen = evidence(nearness(statement, said), statement, config, TermWeights([config]))
    assert is_possible(config, said, seen) == fits


def test_who_counts_seeds_sets_none() -> None:
    seed = Slot(Option(dest="seed", flags=("--seed",), type="int", default="0"))
    count = Slot(Option(dest="num_seeds", flags=("--num-seeds",), type="int", default="1"))
    text = "with 5 random seeds"
    assert counts_the_other(read_request(text), only(text, "5"), seed)
    assert not counts_the_other(read_request(text), only(text, "5"), count)
    assert not counts_the_other(read_request("with seed 5"), only("with seed 5", "5"), seed)


def test_shots_are_counted_where_shots_are_meant() -> None:
    size = Slot(Option(dest="world_size", flags=("--world_size",), type="int", default="1", help="number of processes"))
    shots = Slot(Option(dest="num_fewshot", flags=("--num_fewshot",), type="int", help="examples in the prompt"))
    text = "zero-shot retrieval"
    assert counts_the_other(read_request(text), only(text, "0"), size)
    assert not counts_the_other(read_request(text), only(text, "0"), shots)


SHAPE = Slot(Option(dest="input_shape", flags=("--input_shape",), type="str", default="640,640", help="shape of the input"))  # fmt: skip
PROJECTOR = Slot(Option(dest="projector", flags=("--projector",), type="str", default="8192-8192-8192", help="layers of the projector"))  # fmt: skip
STEPS = Slot(Option(dest="lr_decay_epochs", flags=("--lr_decay_epochs",), type="str", default="350,400,450", help="where to decay"))  # fmt: skip


def test_a_size_is_written_as_the_default_writes_it() -> None:
    assert given("an input shape of 416x416", SHAPE) == {"input_shape": ("416,416",)}
    assert not takes_kind(SHAPE, only("an input shape of 416x416", "416"))


def test_a_series_is_joined_by_what_joins_the_default() -> None:
    assert PROJECTOR.series == "-"
    text = "a projector of 4096, 2048 and 1024 units"
    assert spelling_in_slot(only(text, "4096,2048,1024"), PROJECTOR) == ("4096-2048-1024",)
    assert given(text, PROJECTOR) == {"projector": ("4096-2048-1024",)}
    assert takes_kind(PROJECTOR, only("a projector 2048-1024", "2048-1024"))


@pytest.mark.parametrize("usual", ["2021-05-14", "0-10", "1e-4"])
def test_dates_and_ranges_are_no_series(usual: str) -> None:
    assert Slot(Option(dest="since", flags=("--since",), default=usual)).series == ""


def test_numbers_of_three_digits_with_commas_are_a_list_where_one_is_usual() -> None:
    one = only("decay at 100,140,170", "100140170")
    assert spelling_in_slot(one, STEPS) == ("100,140,170",)
    assert spelling_in_slot(one, EVAL_BATCH) == ("100140170",)


@pytest.mark.parametrize(("help", "expected"), [("output size, e.g. '512x512'", True), ("grid as WxH", True), ("size of a model", False)])  # fmt: skip
def test_a_size_goes_whole_where_sizes_are_usual(help: str, expected: bool) -> None:
    slot = Slot(Option(dest="resolution", flags=("--resolution",), type="unknown", help=help))
    assert slot.sized is expected
    assert takes_kind(slot, only("scale it to 256 by 256 pixels", "256")) is not expected
    assert takes_kind(slot, only("scale it to 256 by 256 pixels", "256x256"))


def test_each_default_of_several_is_known() -> None:
    several = Slot(Option(dest="include", nargs="+", default="onnx openvino tflite"))
    assert several.vocabulary == ("onnx", "openvino", "tflite")
    assert Slot(Option(dest="text", default="two words")).vocabulary == ("two words",)


@pytest.mark.parametrize(("help", "expected"), [("one or more style images", True), ("how the lines look", False)])
def test_a_style_that_is_an_image_is_a_place(help: str, expected: bool) -> None:
    slot = Slot(Option(dest="styles", flags=("--styles",), nargs="+", help=help))
    one = only("the style scans/blue.png", "scans/blue.png")
    seen = evidence(nearness(read_request("the style scans/blue.png"), one), read_request("the style scans/blue.png"), slot, TermWeights([slot]))  # fmt: skip
    assert is_possible(slot, one, seen) is expected


@pytest.mark.parametrize(("dest", "help", "expected"), [("group_name", "", False), ("name", "save to project/name", True), ("checkpoint_path", "", True)])  # fmt: skip
def test_a_folder_is_no_name_of_something_else(dest: str, help: str, expected: bool) -> None:
    slot = Slot(Option(dest=dest, flags=(f"--{dest}",), type="str", help=help))
    text = "in a directory by the name of cp_small"
    one = only(text, "cp_small")
    assert (
        is_possible(
            slot, one, evidence(nearness(read_request(text), one), read_request(text), slot, TermWeights([slot]))
        )
        is expected
    )


SAVE = Slot(Option(dest="save", flags=("--save",), type="str", default="./logs", help="path to save the model"))
LEARN = Slot(Option(dest="learn_t", flags=("--learn_t",), nargs="0", switch_value="True"))
NAME = Slot(Option(dest="model", flags=("--model",), type="str", help="name of the model"))


@pytest.mark.parametrize("folder", ["cifar/pruning", "cifar/pruning/", "./cifar"])
def test_the_folder_of_what_is_called_is_no_value_of_it(folder: str) -> None:
    text = f"Run main.py from the folder {folder}"
    assert given(text, SAVE, callee=Callee(frozenset({"mainpy"}), (".", "cifar/pruning"))) == {}
    assert given(f"save the model to {folder}", SAVE, callee=Callee(folders=("other", "."))) == {"save": (folder,)}


def test_the_name_of_an_option_is_no_value_of_another() -> None:
    assert "model" not in given("run the model and turn on learn_t", NAME, LEARN)
    assert given("run the model learn_u", NAME, LEARN)["model"] == ("learn_u",)


def test_a_word_of_a_programs_name_is_no_choice_of_it() -> None:
    encoder = Slot(Option(dest="encoder", flags=("--encoder",), choices=("pcnn", "cnn"), default="pcnn"))
    callee = Callee(names=frozenset({"trainbagcnn"}))
    assert given("train bag cnn with 3 epochs", encoder, callee=callee) == {}
    assert given("train the bag with a cnn encoder", encoder, callee=callee) == {"encoder": ("cnn",)}


def test_a_file_that_is_called_like_the_program_is_not_meant_by_its_name() -> None:
    config = Slot(Option(dest="config", flags=("--config",)), seen=("configs/txt2img-eval.yaml", "configs/small.yaml"), files=("configs/txt2img-eval.yaml", "configs/small.yaml"))  # fmt: skip
    assert given("run the txt2img program", config, callee=Callee(names=frozenset({"txt2img"}))) == {}


def test_what_a_program_says_of_itself_is_no_value_of_it() -> None:
    dataset = Slot(Option(dest="dataset", flags=("--dataset",), default="fintab", help="dataset to use"))
    callee = Callee(described=frozenset({"benchmark", "table", "to", "html", "conversion"}))
    assert given("benchmark table to HTML conversion", dataset, callee=callee) == {}
    assert given("benchmark the dataset HTML", dataset) == {"dataset": ("HTML",)}


def test_true_and_false_are_values_of_switches_alone() -> None:
    names = Slot(Option(dest="datasets", flags=("--datasets",), nargs="+", default="sst2", help="datasets to use"))
    assert not takes_kind(names, only("set the datasets and is_dev_set to True", "True"))
    listing = Slot(Option(dest="mode", flags=("--mode",), choices=("true", "false", "auto")))
    assert takes_kind(listing, only("the mode should be True", "True"))


def test_a_number_that_examples_give_goes_where_files_are_usual() -> None:
    source = Slot(Option(dest="source", flags=("--source",), type="str", default="inference/videos"), seen=("0",))
    assert given("Set the source to 0.", source) == {"source": ("0",)}
    assert given("Set the source to inference/images.", source) == {"source": ("inference/images",)}
    assert given("Set the source to 7.", source) == {}


@pytest.mark.parametrize(
    ("dest", "text", "value", "expected"),
    [
        ("emb_dropout", "a batch of 4 pictures", "4", False),
        ("emb_dropout", "a batch of 0.4", "0.4", True),
        ("drop_prob", "a batch of 2", "2", False),
        ("sample_rate", "a batch of 16000", "16000", True),
        ("dropout", "with a dropout of 4", "4", True),
    ],
)
def test_a_count_is_no_probability_unless_it_is_called_one(dest: str, text: str, value: str, expected: bool) -> None:
    slot = Slot(Option(dest=dest, flags=(f"--{dest}",), type="float", help="in a batch", default="0.1"), seen=("0.1",))
    statement, mention = read_request(text), only(text, value)
    assert (
        is_possible(slot, mention, evidence(nearness(statement, mention), statement, slot, TermWeights([slot])))
        is expected
    )


def test_what_takes_all_that_follows_takes_no_value_by_itself() -> None:
    rest = Slot(Option(dest="opts", flags=("--opts",), nargs="...", help="config options as KEY VALUE"))
    assert not takes_kind(rest, only("with the weights in ckpt/city.pkl", "ckpt/city.pkl"))


def test_a_number_is_within_the_bounds_of_its_option() -> None:
    assert not takes_kind(Slot(PORT), only("320000 iterations", "320000"))
    assert takes_kind(Slot(PORT), only("on port 29501", "29501"))


@pytest.mark.parametrize(
    ("kind", "default", "expected"), [("int", "224", False), ("int", "90", True), ("float", "0.9", True)]
)
def test_a_percentage_goes_where_hundreds_or_shares_are_usual(kind: str, default: str, expected: bool) -> None:
    slot = Slot(Option(dest="amount", flags=("--amount",), type=kind, default=default))  # type: ignore[arg-type]
    assert takes_kind(slot, only("tubes at 85 percent", "85")) is expected


RATE = Slot(Option(dest="sample_rate", flags=("--sample_rate",), type="int", default="16000"))
RATE_BY_TWO_NAMES = Slot(Option(dest="sr", flags=("--sr", "--sample_rate"), type="int"))
CHANNELS = Slot(Option(dest="channels", flags=("--channels",), type="int", default="2", help="number of channels"))


@pytest.mark.parametrize(("text", "value"), [("packed at 22050 Hz", "22050"), ("packed at 8 kHz", "8000")])
def test_a_frequency_counts_nothing_else(text: str, value: str) -> None:
    assert counts_the_other(read_request(text), only(text, value), CHANNELS)
    assert not counts_the_other(read_request(text), only(text, value), RATE)
    assert not counts_the_other(read_request(text), only(text, value), RATE_BY_TWO_NAMES)


def test_a_launcher_is_told_a_number_of_what_computes() -> None:
    processes = Slot(PROCESSES)
    text = "separate 3 speakers for 20 epochs"
    assert counts_the_other(read_request(text), only(text, "3"), processes)
    text = "train with 3 processes"
    assert not counts_the_other(read_request(text), only(text, "3"), processes)


def test_a_path_is_no_word_of_a_help_text_that_has_its_letters() -> None:
    root = Slot(Option(dest="root", flags=("--root",), type="path", help="Path to the directory of your datasets."))
    assert spelling_in_slot(only("run it on /data/sets", "/data/sets"), root) == ("/data/sets",)
