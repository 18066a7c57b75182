"""Values in slots: what the user spells, one assignment, typed as the slot takes it."""

from collections.abc import Sequence
from time import process_time

from ml_agent.matching.fill import Callee, FilledSlot, SlotAssignment, fill, spelled_slots, spelling_in_slot
from ml_agent.matching.mentions import read_request
from ml_agent.matching.model import shipped
from ml_agent.matching.series import without_counts
from ml_agent.matching.slots import Slot
from ml_agent.matching.terms import terms
from ml_agent.matching.variables import references
from ml_agent.tools.signatures.model import Option

SLOTS = [
    Slot(Option(dest="batch_size", flags=("-b", "--batch-size"), type="int", default="32")),
    Slot(Option(dest="lr", flags=("--lr",), type="float", default="0.01", help="learning rate")),
    Slot(Option(dest="width", flags=("--width",), type="int", default="128")),
    Slot(Option(dest="overlap", flags=("--overlap",), type="float", default="0.25")),
    Slot(Option(dest="amp", flags=("--amp",), nargs="0", switch_value="True", help="automatic mixed precision")),
    Slot(Option(dest="tracks", nargs="+", required=True, help="files to separate")),
]


def given(found: SlotAssignment, slots: Sequence[Slot]) -> dict[str, tuple[str, ...]]:
    return {slots[one.slot].option.dest: one.values for one in found.placed}


def filled(text: str) -> dict[str, tuple[str, ...]]:
    model = shipped()
    return given(fill(read_request(text), SLOTS, model), SLOTS)


def test_spelled_options_are_taken_as_they_stand() -> None:
    placed, unknown = spelled_slots(read_request("use -b 16, --amp and lr=3e-4, but --nothing"), SLOTS)
    assert {SLOTS[one.slot].option.dest: one.values for one in placed} == {
        "batch_size": ("16",),
        "amp": ("True",),
        "lr": ("3e-4",),
    }
    assert [one.name for one in unknown] == ["--nothing"]


def test_a_deprecated_or_private_option_takes_only_what_is_spelled() -> None:
    slots = [
        Slot(Option(dest="old_batch_size", flags=("--old-batch-size",), type="int", help="Deprecated, use -b.")),
        Slot(Option(dest="_batch_size", flags=("--_batch_size",), type="int", help="batch size")),
    ]
    model = shipped()
    for text, expected in (("an old batch size of 16", {}), ("--old-batch-size 16", {"old_batch_size": ("16",)})):
        assert given(fill(read_request(text), slots, model), slots) == expected


def test_several_numbers_are_no_vocabulary() -> None:
    slot = Slot(Option(dest="devices", flags=("--devices",), type="str", default="0,1,2,3"))
    assert slot.vocabulary == ()
    (series,) = [one for one in read_request("use the devices 0 and 1").mentions if one.parts]
    assert spelling_in_slot(series, slot) == ("0,1",)


def test_keys_with_values_are_written_as_the_help_has_them() -> None:
    slots = [
        Slot(Option(dest="hyperparams", flags=("--hyperparams",), nargs="+", help="e.g. learning_rate:0.01 steps:10")),
        *SLOTS[:2],
    ]
    text = "with these --hyperparams: n_envs 16, ent_coef 0.01, policy_kwargs dict(net_arch=[128, 128])."
    expected = ("n_envs:16", "ent_coef:0.01", "policy_kwargs:dict(net_arch=[128, 128])")
    assert given(fill(read_request(text), slots, shipped()), slots) == {"hyperparams": expected}
    assert given(fill(read_request("--hyperparams gamma:0.9 tau:1"), slots, shipped()), slots)["hyperparams"] == (
        "gamma:0.9",
        "tau:1",
    )


def test_spelled_options_are_kept_where_more_options_are_taken_than_are_listed() -> None:
    text = "tune --config_path /exp/a.json with --model.lr 0.002, --fast and --mode best, and --seed=7"
    kept = ("--config_path", "/exp/a.json", "--model.lr", "0.002", "--fast", "--mode", "best", "--seed=7")
    assert fill(read_request(text), SLOTS[:1], shipped(), callee=Callee(flexible=True)).unlisted == kept
    assert fill(read_request(text), SLOTS[:1], shipped()).unlisted == ()


def test_dots_per_inch_are_said_in_full() -> None:
    assert terms("dpi") == terms("dots per inch")[:1] + terms("inch")


def test_two_values_change_places_with_their_words() -> None:
    assert filled("a batch size of 24 and a learning rate of 0.1")["batch_size"] == ("24",)
    assert filled("a learning rate of 0.1 and a batch size of 24")["lr"] == ("0.1",)


def test_half_of_the_default() -> None:
    (mention,) = read_request("half as wide").mentions
    assert spelling_in_slot(mention, SLOTS[2]) == ("64",)


def test_a_percentage_becomes_a_share_where_one_is_wanted() -> None:
    (mention,) = read_request("overlap by 40 percent").mentions
    assert spelling_in_slot(mention, SLOTS[3]) == ("0.4",)
    assert spelling_in_slot(mention, SLOTS[0]) == ("40",)


def test_a_whole_number_takes_no_fraction() -> None:
    assert "batch_size" not in filled("a batch size of 0.5")


def test_a_slot_for_several_takes_the_whole_series() -> None:
    assert filled("separate the files a.wav, b.wav and c.wav")["tracks"] == ("a.wav", "b.wav", "c.wav")


def test_the_script_that_has_an_option_is_no_value_of_it() -> None:
    slots = [Slot(Option(dest="config_name", flags=("--config_name",), path="tools/train.py", help="configuration"))]
    model = shipped()
    found = fill(read_request("run train.py with the configuration train.py"), slots, model)
    assert given(found, slots) == {}


def test_a_name_is_typed_as_the_help_has_it() -> None:
    slot = Slot(Option(dest="dataset", flags=("--dataset",), type="str", help="Can be cora, citeseer or pubmed"))
    (name,) = [one for one in read_request("train on the Citeseer dataset").mentions if one.value == "Citeseer"]
    assert spelling_in_slot(name, slot) == ("citeseer",)


def test_a_series_is_not_torn_apart() -> None:
    slots = [
        Slot(Option(dest=dest, flags=(f"--{dest}",), type="float", nargs="+", default="[0.0, 0.0]"))
        for dest in ("drop_edge_p", "feat_mask_p")
    ]
    model = shipped()
    text = "drop_edge_p, which should range between 0 to 0.5, and feat_mask_p, which should ideally be set between 0.5 to 0.8"
    found = fill(read_request(text), slots, model)
    assert given(found, slots) == {"drop_edge_p": ("0", "0.5"), "feat_mask_p": ("0.5", "0.8")}


def test_words_stay_where_a_series_is_made_whole() -> None:
    slots = [
        Slot(Option(dest="algos", flags=("--algos",), nargs="+", choices=("sac", "td3", "tqc"), help="algorithms")),
        Slot(Option(dest="env", flags=("--env",), nargs="+", help="environments")),
    ]
    text = "compare the algorithms tqc and sac, environments AntBullet and HopperBullet"
    found = given(fill(read_request(text), slots, shipped()), slots)
    assert found == {"algos": ("tqc", "sac"), "env": ("AntBullet", "HopperBullet")}


def test_an_accelerator_is_what_the_user_calls_a_gpu() -> None:
    slots = [
        Slot(Option(dest="accel", flags=("--accel",), nargs="0", switch_value="True", help="use accelerator")),
        Slot(Option(dest="words", flags=("--words",), type="int", default="1000", help="number of words to generate")),
    ]
    asked = given(fill(read_request("generate 300 words on gpu"), slots, shipped()), slots)
    assert asked == {"accel": ("True",), "words": ("300",)}
    assert "accel" not in given(fill(read_request("generate 300 words"), slots, shipped()), slots)


def test_the_count_of_a_series_is_none_of_it() -> None:
    units = Slot(Option(dest="units", flags=("--units",), nargs="+", type="int", help="neurons of each hidden layer"))
    text = "two hidden layers with 12 and 6 neurons"
    placed = [FilledSlot(0, ("2", "12", "6"), 3.0, "said", (0, 23, 30), "two; 12; 6")]
    assert without_counts(read_request(text), placed, [units])[0].values == ("12", "6")
    other = [FilledSlot(0, ("3", "12", "6"), 3.0, "said", (0, 23, 30), "three; 12; 6")]
    assert without_counts(read_request(text.replace("two", "three")), other, [units]) == other


def test_a_switch_takes_no_word_behind_it() -> None:
    slots = [Slot(Option(dest="bilinear", flags=("--bilinear",), type="bool", default="False"))]
    for text, value in (("--bilinear interpolation", "True"), ("--bilinear", "True"), ("--bilinear false", "false")):
        placed, _ = spelled_slots(read_request(f"run it with {text}, please"), slots)
        assert [one.values for one in placed] == [(value,)]


def test_a_slot_for_so_many_values_has_them_or_none() -> None:
    slots = [
        Slot(Option(dest="grid", flags=("--grid",), type="int", nargs="2", default="48 24", help="cells of the grid"))
    ]
    assert given(fill(read_request("a grid of 40 by 20 cells"), slots, shipped()), slots) == {"grid": ("40", "20")}
    alone = fill(read_request("a grid of 40 cells"), slots, shipped())
    assert given(alone, slots) == {} and [one.value for one in alone.unplaced] == ["40"]


def test_whole_numbers_alone_are_in_a_series_for_whole_numbers() -> None:
    units = Option(
        dest="hidden_sizes", flags=("--hidden_sizes",), type="int", nargs="*", help="units of the hidden layers"
    )
    slots = [Slot(units)]
    found = given(fill(read_request("hidden sizes of 0.995 and 96"), slots, shipped()), slots)
    assert "0.995" not in found.get("hidden_sizes", ())


def test_another_name_is_no_loose_spelling_of_a_known_value() -> None:
    voice = Slot(Option(dest="voice", flags=("--voice",), type="str", default="random", help="voice to use"), seen=("train_atkins",))  # fmt: skip
    found = fill(read_request("with the voice train_dotrice"), [voice], shipped())
    assert given(found, [voice]) == {"voice": ("train_dotrice",)}


def test_a_placeholder_in_brackets_is_no_known_value() -> None:
    assert Slot(Option(dest="name"), seen=("[name_of_experiment]", "[nq_dev]", "[your_path]")).seen == ("[nq_dev]",)


def test_the_name_of_an_option_with_its_number_is_no_value() -> None:
    slots = [
        Slot(Option(dest="k1", flags=("--k1",), type="float", default="0.9")),
        Slot(Option(dest="encoder", flags=("--encoder",), type="str", help="encoder name")),
    ]
    assert given(fill(read_request("search with bm25 k1 1.1"), slots, shipped()), slots).get("encoder") != ("k1",)


def test_a_file_is_no_other_file_of_the_repository() -> None:
    labels = Slot(Option(dest="labels_path", flags=("--labels_path",), type="str", default="labels.json"), files=("labels.json",))  # fmt: skip
    found = fill(read_request("the labels are in data/kids_labels.json"), [labels], shipped())
    assert given(found, [labels]) == {"labels_path": ("data/kids_labels.json",)}


def test_a_name_that_says_more_than_a_known_one_is_another() -> None:
    plans = Slot(Option(dest="plans", flags=("-p",), type="str", default="nnUNetPlans", help="identifier of the plans"))
    found = fill(read_request("with the plans nnUNetResEncUNetLPlans"), [plans], shipped())
    assert given(found, [plans]) == {"plans": ("nnUNetResEncUNetLPlans",)}


def test_an_unset_word_of_a_shell_script_is_a_reference() -> None:
    assert references("$2") == ("2",)
    assert references("${1}/x and $out") == ("1", "out")


def test_a_request_of_a_thousand_values_is_read_soon() -> None:
    model = shipped()
    started = process_time()
    found = fill(read_request("Set the width to 5. " + "Take s_t1 and 3. " * 700), SLOTS, model)
    assert process_time() - started < 5
    assert given(found, SLOTS)["width"] == ("5",)


def test_what_is_quoted_is_meant_to_the_letter() -> None:
    text = Slot(Option(dest="text", flags=("--text",), help="text prompt"), seen=("Children Singing",))
    found = fill(read_request('the text prompt "children singing"'), [text], shipped())
    assert given(found, [text]) == {"text": ("children singing",)}


def test_of_known_values_that_differ_in_case_the_one_that_is_typed() -> None:
    mode = Slot(Option(dest="mode", flags=("--mode",), choices=("fastcut", "FastCUT", "cut"), default="cut"))
    for name in ("FastCUT", "fastcut"):
        assert given(fill(read_request(f"train with mode {name}"), [mode], shipped()), [mode]) == {"mode": (name,)}
