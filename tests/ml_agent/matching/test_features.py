"""What speaks for a value in a slot."""

import time

import pytest

from ml_agent.matching.evidence import evidence, nearness
from ml_agent.matching.features import FEATURES, CompetingEvidence, features
from ml_agent.matching.meanings import vocabulary_matches, words_of_choices
from ml_agent.matching.mentions import Mention, ParsedRequest, read_request
from ml_agent.matching.slots import Slot, TermWeights
from ml_agent.matching.terms import canonical
from ml_agent.matching.usage import OptionUsage
from ml_agent.tools.signatures.model import Option

NOTHING = CompetingEvidence(0.0, 0.0, 0.0, 0.0)


def slot(dest: str, **more: object) -> Slot:
    return Slot(Option(dest=dest, flags=(f"--{dest}",), **more))  # type: ignore[arg-type]


def mention(statement: ParsedRequest, value: str) -> Mention:
    return next(one for one in statement.mentions if one.value == value)


def vector(text: str, value: str, one: Slot, *others: Slot) -> dict[str, float]:
    statement = read_request(text)
    said = mention(statement, value)
    seen = evidence(nearness(statement, said), statement, one, TermWeights([one, *others]))
    return dict(zip(FEATURES, features(statement, said, one, seen, NOTHING, None), strict=True))


def test_the_nearer_a_name_the_more_it_says() -> None:
    near = vector("a batch size of 24 and a context of 512", "24", slot("batch_size", type="int"))
    far = vector("a batch size of 24 and a context of 512", "512", slot("batch_size", type="int"))
    assert near["name"] > far["name"]


def test_a_rare_word_of_a_help_text_says_more() -> None:
    rare, common = slot("a", help="the frozen layers"), slot("b", help="the layers")
    text = "keep 10 frozen layers"
    assert vector(text, "10", rare, common)["help"] > vector(text, "10", common, rare)["help"]


def test_a_word_within_a_name_counts() -> None:
    assert vector("write 4 shot prompts", "4", slot("num_fewshot"))["name"] > 0


def test_magnitude_is_the_distance_from_the_default() -> None:
    one = slot("lr", type="float", default="0.001")
    assert vector("a rate of 0.001", "0.001", one)["magnitude"] == 0
    assert vector("a rate of 10", "10", one)["magnitude"] == 4


def test_a_mark_of_not_set_is_no_size_to_compare_with() -> None:
    unset = vector("train for 12000 steps", "12000", slot("n_steps", type="int", default="-1"))
    assert unset["magnitude"] == 0
    assert unset["no_magnitude"] == 1
    assert vector("seed -1", "-1", slot("seed", type="int", default="-1"))["is_default"] == 1
    assert not vector("a share of 0.5", "0.5", slot("share", type="float", default="-1"))["share_clashes"]


def test_where_a_path_goes_is_told_by_its_verb() -> None:
    assert vector("save the pictures into out/x", "out/x", slot("output_dir"))["out_out"] > 0
    assert vector("save the pictures into out/x", "out/x", slot("input_dir"))["out_in"] > 0


def test_files_of_a_kind() -> None:
    assert vector("say it as out/x.wav", "out/x.wav", slot("to", help="such as voice.flac"))["kind_said"] == 1
    assert vector("say it as out/x.wav", "out/x.wav", slot("to", help="such as table.csv"))["kind_other"] == 1


def test_names_of_one_shape() -> None:
    known = Slot(Option(dest="env", flags=("--env",), default="Hopper-v4"))
    assert vector("train on Walker2d-v3", "Walker2d-v3", known)["shape"] == 1
    assert vector("train on some_file", "some_file", known)["shape"] == 0


def test_a_value_has_the_shape_of_one_that_the_help_quotes() -> None:
    quoted = slot("resolution", help="Output resolution (e.g. '512x512')")
    assert vector("scale it to 256 by 256 pixels", "256x256", quoted)["shape"] == 1
    assert vector("scale it to 256 by 256 pixels", "256x256", slot("resolution"))["shape"] == 0


def test_the_nearest_preposition_points_toward_a_path_or_from_it() -> None:
    text = "results in logs/a, the table to logs/b"
    assert vector(text, "logs/a", slot("output"))["from_output"] == 1
    assert vector(text, "logs/b", slot("output"))["toward_output"] == 1
    assert vector(text, "logs/b", slot("root"))["toward_other"] == 1


def test_plus_signs_are_spelled_as_p_in_file_names() -> None:
    one = slot("config", choices=("ddpm.yaml", "ddpmpp.yaml"))
    assert vocabulary_matches(read_request("train DDPM++ on it"), one)[0].value == "ddpmpp.yaml"


def test_names_that_share_pieces() -> None:
    known = slot("model", default="bert-base-uncased")
    assert vector("start from roberta-base", "roberta-base", known)["like"] > 0


def test_a_choice_is_told_from_the_others_by_what_is_its_own() -> None:
    one = slot("config", choices=("config_v1.json", "config_v2.json", "config_v3.json"))
    assert vocabulary_matches(read_request("train the third variant (V3)"), one)[0].value == "config_v3.json"
    assert not vocabulary_matches(read_request("train with this config"), one)


def test_the_nearer_verb_governs_a_path() -> None:
    text = "read the table a/in.csv and save the scores in b/out.csv"
    assert vector(text, "a/in.csv", slot("input"))["out_in"] == 0
    assert vector(text, "b/out.csv", slot("output"))["out_out"] > 0.8


def test_what_the_source_does_with_a_path_says_more_than_its_name() -> None:
    option = Option(dest="checkpoint_path", flags=("--checkpoint_path",), default="cp_small")
    written = Slot(option, usage=OptionUsage(writes=2, folders=2))
    text = "save everything to the folder cp_new"
    assert vector(text, "cp_new", written)["out_out"] > 0
    assert vector(text, "cp_new", Slot(option))["out_out"] == 0
    assert vector(text, "cp_new", written)["form_fits"] == 1
    assert vector("save it as a/b.pt", "a/b.pt", written)["form_clashes"] == 1
    read_only = Slot(option, usage=OptionUsage(reads=1))
    assert vector("take a/b.pt", "a/b.pt", read_only)["used_input"] == 1


def test_the_word_one_is_a_number_only_before_what_it_counts() -> None:
    one = slot("batch_size", type="int", default="8")
    assert vector("take the big one", "1", one)["spoken_one"] == 1
    assert vector("a batch size of 4", "4", one)["spoken_one"] == 0


def test_a_name_that_is_introduced() -> None:
    text = "track it under the project name gait-study"
    assert vector(text, "gait-study", slot("project_name"))["introduced_name"] == 1
    assert vector(text, "gait-study", slot("device"))["introduced_name"] == 0
    assert vector(text, "gait-study", slot("device"))["introduced"] == 1


def test_a_value_that_is_written_out_is_meant_and_none_that_resembles_it() -> None:
    model = slot("model", choices=("DiT-XL/2", "DiT-XL/8"))
    assert [one.value for one in vocabulary_matches(read_request("eight cards draw from DiT-XL/2"), model)] == [
        "DiT-XL/2"
    ]


def test_a_digit_in_a_path_is_no_number() -> None:
    assert not vocabulary_matches(read_request("mix runs/seed1/a.pt"), slot("level", choices=("1", "2")))


def test_a_path_says_nothing_of_the_value_beside_it() -> None:
    text = "go on from netG_epoch.pth and netD_epoch.pth"
    assert vector(text, "netG_epoch.pth", slot("netD"))["name_after"] == 0


def test_a_path_meets_a_slot_for_paths_or_another_one() -> None:
    text = "take runs/a.pt"
    assert vector(text, "runs/a.pt", slot("checkpoint", help="Path to weights"))["path_fits"] == 1
    assert vector(text, "runs/a.pt", slot("model_type", help="kind of model"))["path_clashes"] == 1
    assert vector(text, "runs/a.pt", slot("bare"))["path_open"] == 1
    assert vector("call it gait-study", "gait-study", slot("out_dir", help="folder"))["name_to_path"] == 1
    assert vector('say "a b c" now', "a b c", slot("out_dir", help="folder"))["text_to_path"] == 1


def test_a_share_meets_a_share() -> None:
    text = "a dropout of 0.3"
    assert vector(text, "0.3", slot("dropout", type="float", default="0.1"))["share_fits"] == 1
    assert vector(text, "0.3", slot("width", type="float", default="64"))["share_clashes"] == 1
    assert vector(text, "0.3", slot("decay", type="float", default="0"))["default_zero"] == 1


def test_what_stands_right_beside_a_number_may_be_in_the_help() -> None:
    one = slot("imgsz", type="int", help="train, val image size (pixels)")
    assert vector("at 320 pixels please", "320", one)["next_help"] == 1
    assert vector("at pixels 320 please", "320", one)["lead_help"] == 1


def test_a_value_is_compared_with_the_other_values_for_its_slot() -> None:
    statement = read_request("10 steps, 500 warmup")
    one = slot("warmup_steps", type="int")
    said = mention(statement, "10")
    seen = evidence(nearness(statement, said), statement, one, TermWeights([one]))
    table = dict(
        zip(FEATURES, features(statement, said, one, seen, CompetingEvidence(0, 0, 1.0, 1.0), None), strict=True)
    )
    assert table["name_alone"] == seen.name - 1
    assert table["help_alone"] == seen.help - 1


def test_an_absence_before_its_thing() -> None:
    found = vector("train with no warmup", "0", slot("warmup", type="int", default="5"))
    assert found["is_absence"] == 1
    assert found["absence_next"] > 0
    assert vector("train with no warmup", "0", slot("warmup", choices=("none", "cosine")))["zero_choice"] == 1


def test_a_value_made_of_others_is_known_as_one() -> None:
    assert vector("take last.pth in /ckpt", "/ckpt/last.pth", slot("resume"))["is_made"] == 1


def test_a_choice_is_meant_by_what_the_help_says_that_it_is() -> None:
    one = slot("reg", choices=("none", "l1", "l2"), help="penalty: l1 is the lasso, l2 ridge")
    found = vocabulary_matches(read_request("fit it with the lasso"), one)
    assert [(entry.value, entry.exact) for entry in found] == [("l1", True)]
    assert words_of_choices(("l1", "l2"), "l1 is the lasso, l2 means ridge") == {
        "l1": "lasso",
        "l2": canonical("ridge"),
    }
    assert words_of_choices(("freeze", "tune"), "tune or freeze resnet weights") == {}
    assert words_of_choices(("a", "b"), "a is the usual, b is the usual") == {}
    assert words_of_choices(("mean", "sum"), "mean or sum of them") == {}


def test_long_help_texts_cost_little() -> None:
    began = time.process_time()
    words_of_choices(("l1", "a b"), "l1 " * 30_000 + "is " * 30_000)
    assert time.process_time() - began < 5


def test_what_all_files_of_a_folder_are_called_tells_none() -> None:
    one = Slot(Option(dest="checkpoint", required=True), files=("nets/moons_mlp.json", "nets/rings_mlp.json"))
    assert [entry.value for entry in vocabulary_matches(read_request("the ready-made network for the rings"), one)] == [
        "nets/rings_mlp.json"
    ]
    assert not vocabulary_matches(read_request("the ready-made network"), one)


def test_a_choice_that_is_an_abbreviation_is_meant_by_the_word() -> None:
    one = slot("unit", choices=("char", "word"), default="word")
    assert [entry.value for entry in vocabulary_matches(read_request("on character n-grams"), one)] == ["char"]


def test_the_rest_of_a_word_stands_nearest_to_a_choice_in_it() -> None:
    one = slot("linkage", choices=("single", "complete"), default="complete")
    other = slot("source", choices=("single", "double"), default="double")
    statement = read_request("merge them with single-link clustering")
    (entry,) = vocabulary_matches(statement, one)
    near = nearness(statement, entry.mention)
    weights = TermWeights([one, other])
    assert evidence(near, statement, one, weights).name > 0.6 > evidence(near, statement, other, weights).name


def test_a_part_of_a_name_with_underscores_means_no_choice() -> None:
    one = slot("model_type", choices=("coco", "caption_coco_large"))
    assert [entry.value for entry in vocabulary_matches(read_request("with its type caption_coco_large"), one)] == [
        "caption_coco_large"
    ]
    assert not vocabulary_matches(
        read_request("with its type caption_coco_flant5xl"), slot("model_type", choices=("coco", "base"))
    )


@pytest.mark.parametrize(
    ("text", "vague"), [("(about 44,000 files)", 1.0), ("some 80 words", 1.0), ("train for 80 words", 0.0)]
)
def test_who_says_about_sets_nothing(text: str, vague: float) -> None:
    statement, one = read_request(text), slot("epochs", type="int", default="10", help="number of words")
    (mention,) = [each for each in statement.mentions if each.kind == "number"]
    seen = evidence(nearness(statement, mention), statement, one, TermWeights([one]))
    vector = features(statement, mention, one, seen, CompetingEvidence(0.0, 0.0, 0.0, 0.0), None)
    assert dict(zip(FEATURES, vector, strict=True))["approximate"] == vague


def test_a_setting_within_another_option_is_no_option_of_its_own() -> None:
    speed = Slot(Option(dest="DEMO.FPS", within="opts", type="int", default="30"))
    assert vector("a film with 15 FPS", "15", speed)["within"] == 1
    assert vector("a film with 15 FPS", "15", slot("fps"))["within"] == 0


MODELS = ("dpt_large_384", "dpt_next_vit_384", "dpt_levit_224", "swin2_base_384")


@pytest.mark.parametrize(
    ("text", "choices", "expected"),
    [
        ("depth with the LeViT model", MODELS, "dpt_levit_224"),
        ("an x3 suffix and 2 processes", ("net_x2plus", "net_x4plus"), ""),
        ("at a resolution of 512", ("city_512", "city_512_g1"), ""),
        ("the city at 512", ("city_512", "city_512_g1"), "city_512"),
        ("the net at x2", ("net_x2plus", "net_x4plus"), "net_x2plus"),
        ("the weights in ckpt/sam_h.pth", ("default", "vit_h", "vit_l", "vit_b"), "vit_h"),
        ("its anime video model", ("realesr-animevideov3", "realesr-general-x4v3"), "realesr-animevideov3"),
        ("Real-ESRGAN for the background", ("realesrgan", "none"), "realesrgan"),
    ],
)
def test_what_is_said_of_a_known_value(text: str, choices: tuple[str, ...], expected: str) -> None:
    found = vocabulary_matches(read_request(text), slot("model", choices=choices))
    assert [one.value for one in found][:1] == ([expected] if expected else [])


def test_what_is_put_in_a_place_goes_there() -> None:
    folder = slot("output_path", help="folder of the results")
    at = FEATURES.index("toward_output")
    assert list(vector("put it in songs/new", "songs/new", folder).values())[at] == 1.0
    assert list(vector("the songs are in songs/old", "songs/old", folder).values())[at] == 0.0


def test_a_choice_that_is_part_of_one_that_is_written_out_is_not_meant() -> None:
    one = slot("dataset", choices=("imagenet", "restricted_imagenet", "cifar"))
    assert [
        m.value for m in vocabulary_matches(read_request("evaluate on Restricted ImageNet in /data/imagenet"), one)
    ] == ["restricted_imagenet"]
    both = vocabulary_matches(read_request("first Restricted ImageNet, then plain ImageNet"), one)
    assert {m.value for m in both} == {"imagenet", "restricted_imagenet"}


def test_a_choice_with_a_unit_is_known_by_it() -> None:
    one = slot("model_type", choices=("44khz", "24khz", "16khz"))
    assert [m.value for m in vocabulary_matches(read_request("with the 44khz model"), one)][:1] == ["44khz"]
