"""What the form of a value says of its slot."""

from ml_agent.matching.fill import fill
from ml_agent.matching.mentions import read_request
from ml_agent.matching.model import shipped
from ml_agent.matching.slots import Slot
from ml_agent.tools.signatures.model import Option

ENV = Slot(Option(dest="env", flags=("--env",), default="CartPole-v1", help="Environment ID"))
BOARD = Slot(Option(dest="log_name", flags=("--log-name",), help="name of the log"))
EPOCHS = Slot(Option(dest="num_epochs", flags=("--num-epochs",), type="int", default="10"))
KEEP = Slot(
    Option(
        dest="keep_strategy",
        flags=("--keep-strategy",),
        default="steps",
        choices=("no", "steps", "epoch"),
        help="The checkpoint keep strategy to use.",
    )
)
VARIANT = Slot(Option(dest="variant", flags=("--variant",), choices=("gen-v1", "gen-v2", "gen-v3")))
CODES = tuple(first + second for first in "abcdefghijk" for second in "lmnopqrstu")
TONGUE = Slot(
    Option(
        dest="language",
        flags=("--language",),
        choices=(*CODES, "Polish", "Dutch", "Welsh"),
        help="language spoken in the audio",
    )
)
TASK = Slot(Option(dest="protocol", required=True, help="Protocol used for optimization"))
CACHE = Slot(Option(dest="cache_dir", flags=("--cache-dir",), help="directory of the cache"))


def given(text: str, *slots: Slot) -> dict[str, tuple[str, ...]]:
    found = fill(read_request(text), slots, shipped())
    return {slots[one.slot].option.dest: one.values for one in found.placed}


def test_a_name_goes_where_names_are_written_like_it() -> None:
    assert given("my run on BipedalWalker-v3 in TensorBoard", ENV, BOARD)["env"] == ("BipedalWalker-v3",)


def test_the_unit_of_a_number_is_no_choice_of_another_option() -> None:
    assert given("train for one epoch", EPOCHS, KEEP) == {"num_epochs": ("1",)}


def test_an_ordinary_word_is_a_choice_of_the_option_that_is_named() -> None:
    assert given("train with the keep strategy epoch", EPOCHS, KEEP) == {"keep_strategy": ("epoch",)}


def test_a_code_that_one_known_value_holds_means_that_value() -> None:
    assert given("train the V2 generator from scratch", VARIANT) == {"variant": ("gen-v2",)}


def test_a_listed_choice_that_is_written_as_a_name_is_meant() -> None:
    assert given("Translate the Welsh talk.wav with care", TONGUE) == {"language": ("Welsh",)}


def test_a_name_goes_where_something_must_be_given() -> None:
    assert given("tune on VoxWorld.Speakers.Main with care", TASK, CACHE) == {"protocol": ("VoxWorld.Speakers.Main",)}


def test_a_size_has_as_many_numbers_as_the_default() -> None:
    size = Slot(Option(dest="image_size", flags=("--image_size",), type="int", nargs="+", default="480 480"))
    assert given("resize the picture to 640x480", size) == {"image_size": ("640", "480")}


def test_a_file_that_is_a_default_means_that_option() -> None:
    config = Slot(Option(dest="config", flags=("--config",), type="path", default="usual_args.yaml"))
    other = Slot(Option(dest="protein_path", flags=("--protein_path",), help="path of the protein file"))
    assert given("with the settings in usual_args.yaml", config, other) == {"config": ("usual_args.yaml",)}


def test_a_name_of_several_words_right_before_a_value_is_its_slot() -> None:
    seed = Slot(
        Option(dest="seed", flags=("--seed",), type="int", default="42", help="random seed set before training")
    )
    whole = Slot(Option(dest="random_seed", flags=("--random_seed",), type="int", default="1"))
    assert given("set the random seed to 2024", seed, whole) == {"random_seed": ("2024",)}
    assert given("set the seed to 2024", seed, whole) == {"seed": ("2024",)}


def test_several_words_that_are_a_known_value_are_that_value() -> None:
    prompts = Slot(
        Option(dest="prompts", nargs="*", type="str", help="the text prompts to use"), seen=("the rise of man",)
    )
    images = Slot(Option(dest="images", flags=("--images",), nargs="*", type="str", help="the image prompts"))
    assert given('sample "the rise of man"', images, prompts) == {"prompts": ("the rise of man",)}
