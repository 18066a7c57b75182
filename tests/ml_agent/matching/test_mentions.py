"""What a request states."""

import time

import pytest

from ml_agent.matching.composites import factors
from ml_agent.matching.mentions import ParsedRequest, read_request
from ml_agent.values.readings import normal_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("use a learning rate of two times ten to the power of minus five", "2e-5"),
        ("a penalty of six and a half", "6.5"),
        ("a dropout of one tenth", "0.1"),
        ("give it a weight of seven tenths", "0.7"),
        ("from minus five hundred on", "-500"),
        ("let windows overlap by forty percent", "40"),
        ("scale it to 256 by 256 pixels", "256x256"),
        ("a grid 3 wide and 2 high", "3x2"),
        ("with --seeds 10-19,42 please", "10-19,42"),
        ("show 256px images", "256"),
        ("I have 180 000 rows", "180000"),
        ("an alpha of thirty-two and one tenth dropout", "32"),
        ("a decay of nine thousand nine hundred and ninety-five ten-thousandths", "0.9995"),
        ("forget one unit in five", "0.2"),
        ("a decay of nought point nine nine nine five", "0.9995"),
        ("weigh it with one point five", "1.5"),
        ("a rate of 10^-4.", "1e-4"),
        ("2**16 samples", "65536"),
        ("a copy after every fiftieth update", "50"),
        ("a copy after every twenty-fifth one", "25"),
        ("ten to the minus three", "1e-3"),
        ("reduce it by half", "0.5"),
        ("go over it twice", "2"),
        ("segment train.hsb now", "train.hsb"),
        ("with a single process", "1"),
        ("places of 48 by 48", "48"),
        ("last.pth in /ckpt", "/ckpt/last.pth"),
        ("In /masters/ lies side_b.aiff", "/masters/side_b.aiff"),
        ("serve it at 127.0.0.1 from now on", "127.0.0.1"),
        ("serve it at 10.1.0.4:8080.", "10.1.0.4:8080"),
        ("meet at tcp://10.1.0.4:29501 please", "tcp://10.1.0.4:29501"),
        ("keep it in a folder restored", "restored"),
    ],
)
def test_values_in_words_and_digits(text: str, value: str) -> None:
    assert value in [one.value for one in read_request(text).mentions]


def test_which_one_it_is_states_no_number() -> None:
    assert [one.value for one in read_request("go on after the twenty-eighth round").mentions] == []


def test_a_percentage_is_known_as_one() -> None:
    (one,) = [one for one in read_request("keep 30 percent").mentions if one.kind == "number"]
    assert one.percent


def test_a_share_of_the_usual_value_is_a_factor() -> None:
    assert [(one.kind, one.value) for one in read_request("make it half as wide").mentions] == [("factor", "0.5")]


def test_a_series_stands_beside_its_parts() -> None:
    found = read_request("three stacks of 4, 2 and 1 layers").mentions
    assert ("4", "2", "1") in [one.parts for one in found]
    assert {"4", "2", "1"} <= {one.value for one in found}


def test_names_of_folders_are_paths() -> None:
    kinds = {
        one.value: one.kind
        for one in read_request("Put it into a folder named rebuilt, from the folder old_recordings.").mentions
    }
    assert kinds["rebuilt"] == "path"
    assert kinds["old_recordings"] == "path"


def test_a_name_on_a_hub_is_no_path() -> None:
    (one,) = read_request("score EleutherAI/pythia-410m now").mentions
    assert one.kind == "name"


def test_spelled_options_with_and_without_dashes() -> None:
    spelled = {one.name: one.joined for one in read_request("run it with --top_k 50, -P and lr=3e-4.").spelled}
    assert spelled == {"--top_k": "", "-P": "", "lr": "3e-4"}


def test_what_is_given_beside_the_sentence_is_stated_once() -> None:
    statement = read_request("a batch size of 256", (("batch-size", "256"),))
    assert [one.joined for one in statement.spelled] == ["256"]
    assert not statement.mentions


def test_numbers_with_and_between_are_two() -> None:
    values = [one.value for one in read_request("an alpha of thirty-two and one tenth dropout").mentions]
    assert {"32", "0.1"} <= set(values)
    assert "3.3" not in values


@pytest.mark.parametrize("text", ["no greater than 256 tokens", "no more than 20 of them", "without more than 3 steps"])
def test_a_bound_is_no_absence(text: str) -> None:
    assert not [one for one in read_request(f"train it with {text}").mentions if one.kind == "absence"]


def test_what_is_wanted_away_is_an_absence() -> None:
    assert ("absence", "0") in [(one.kind, one.value) for one in read_request("train it with no warmup").mentions]


def test_a_multiple_of_what_is_usual_is_a_factor() -> None:
    assert ("factor", "3") in [
        (one.kind, one.value) for one in read_request("use three times the number of rays").mentions
    ]


def test_options_set_as_code_are_read_without_the_marks() -> None:
    statement = read_request("use `--lr 5e-5`, `--amp` and `--out a/b`.")
    assert [one.name for one in statement.spelled] == ["--lr", "--amp", "--out"]
    assert not any("`" in token.value for token in statement.tokens)


def test_settings_in_marks_of_code_keep_a_series_whole_and_no_mark() -> None:
    spelled = {one.name: one.joined for one in read_request("Sweep `seed=11,22,33` with `model.lr=3e-4`.").spelled}
    assert spelled == {"seed": "11,22,33", "model.lr": "3e-4"}


def test_a_setting_ends_before_a_comma_and_words() -> None:
    assert {one.name: one.joined for one in read_request("Take lr=3e-4, epochs=20 please.").spelled} == {
        "lr": "3e-4",
        "epochs": "20",
    }


def test_a_size_is_one_value_and_two() -> None:
    found = read_request("crops of 368 by 768").mentions
    assert "368x768" in [one.value for one in found]
    assert ("368", "768") in [one.parts for one in found]


def test_two_bounds_are_a_series() -> None:
    assert [one.parts for one in read_request("a rate between 0 to 0.5").mentions if one.parts] == [("0", "0.5")]
    assert [one.parts for one in read_request("from 3 to 5").mentions if one.parts] == []


@pytest.mark.parametrize(
    "text", ["the only folder inside /data/all", "a folder containing pictures", "the directory next to it"]
)
def test_what_lies_where_is_no_name_of_a_folder(text: str) -> None:
    assert [one.value for one in read_request(text).mentions if one.value != "/data/all"] == []


def test_an_address_is_no_two_numbers() -> None:
    assert [one.kind for one in read_request("listen on 127.0.0.1, port 7777").mentions] == ["name", "number"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("the net_5 model, which resides deep within the old './model/' folder", "./model/net_5"),
        ("the net_5 weights, stored somewhere in 'runs/a/'", "runs/a/net_5"),
        ("the net_5 model is small. Results are found in 'runs/'", ""),
        ("take net_5 and what is found in 'runs/'", ""),
    ],
)
def test_a_thing_may_lie_in_a_folder_in_many_words(text: str, path: str) -> None:
    assert "".join(one.value for one in read_request(text).mentions if one.whole and one.kind == "path") == path


@pytest.mark.parametrize(
    ("text", "values"),
    [("a word-level bigram model", ["2"]), ("on single words and word pairs", ["1", "2", "1,2"]), ("a trigram", ["3"])],
)
def test_lengths_of_n_grams_are_read_by_their_names(text: str, values: list[str]) -> None:
    numbers = sorted(
        (one.value for one in read_request(text).mentions if one.kind == "number"), key=lambda one: (len(one), one)
    )
    assert numbers == values


@pytest.mark.parametrize("text", ["two " * 25_000, "two times " * 8_000, "two" + " " * 100_000, "a" * 100_000])
def test_multiples_are_found_in_linear_time(text: str) -> None:
    began = time.process_time()
    list(factors(text, ()))
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("only files matching checkpoint-2*.pth.tar count", ["checkpoint-2*.pth.tar"]),
        ("put 'Answer this: ' before it", ["Answer this: "]),
        ("w/ sum and w/o amp", []),
        ("on two GPUs", ["2"]),
        ("for cifar10.5@4000-5000", ["cifar10.5@4000-5000"]),
        ("the records data/laws-*.tfrecord", ["data/laws-*.tfrecord"]),
        ("shards at /data/r07-s-*-of-*.tfrecords", ["/data/r07-s-*-of-*.tfrecords"]),
    ],
)
def test_what_is_a_value_and_what_is_none(text: str, values: list[str]) -> None:
    assert [one.value for one in read_request(text).mentions if not one.parts and one.kind != "absence"] == values


@pytest.mark.parametrize("text", ["a-" * 10_000, "*" + ".a" * 10_000, "a*" * 10_000, "plain words " * 10_000])
def test_values_are_found_in_linear_time(text: str) -> None:
    began = time.process_time()
    assert ParsedRequest(text).tokens
    assert ParsedRequest(text).spelled is not None
    assert ParsedRequest(text).content is not None
    assert time.process_time() - began < 5


def test_a_setting_that_is_set_as_code_is_read_without_its_marks() -> None:
    assert (
        normal_text("use `SOLVER.BASE_LR 0.1` and `the file a.txt`") == "use  SOLVER.BASE_LR 0.1; and `the file a.txt`"
    )


@pytest.mark.parametrize("filling", ["_", "a_", "a.", "_."])
def test_a_long_name_that_is_set_as_code_takes_no_time(filling: str) -> None:
    started = time.process_time()
    normal_text(f"`a{filling * 20_000}`")
    assert time.process_time() - started < 5


def test_a_verb_between_a_folder_and_its_path_names_no_folder() -> None:
    assert [one.value for one in read_request("for the known people folder take /data/faces").mentions] == [
        "/data/faces"
    ]
    assert [one.value for one in read_request("the folder faces").mentions] == ["faces"]


def test_what_starts_a_module_is_no_spelled_option() -> None:
    assert [one.name for one in read_request("python -m birds.train with -m small").spelled] == ["-m"]
    assert read_request("run python3 -m birds.train").spelled == ()


def test_a_module_that_is_started_is_no_value() -> None:
    assert [one.value for one in read_request("python -m birds.train_all with x_1").mentions] == ["x_1"]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("from /models/seg/epoch=12.ckpt on", ["/models/seg/epoch=12.ckpt"]),
        ("logs/epoch=3-step=400.ckpt, logs/x.pt", ["logs/epoch=3-step=400.ckpt", "logs/x.pt"]),
        ("with model/net=small and data=a/b.yaml", ["model/net", "a/b.yaml"]),
    ],
)
def test_a_checkpoint_that_says_its_epoch_is_one_path(text: str, paths: list[str]) -> None:
    assert [one.value for one in read_request(text).mentions if one.kind == "path" and not one.parts] == paths


@pytest.mark.parametrize("filling", ["a/", "a=1", "a=1-", "/a=1.", "-a=1"])
def test_a_path_with_numbers_is_read_in_linear_time(filling: str) -> None:
    assert read_request(("x/" + filling * 6000)[:12_000]).tokens


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("pool to 600 450 300 180 edges", ["600", "450", "300", "180"]),  # no number has blanks but before zeros
        ("train for 10 000 steps", ["10000"]),
        ("resample to 44.1 kHz", ["44100"]),
        ("audio at 16kHz", ["16000"]),
        (f"audio at {'9' * 5000} kHz", ["9" * 5000]),  # nobody counts so far
        ("for 2.5 x 10^6 steps", ["2.5e6"]),
        ("with models/b2_1024x1024_160k.yml", []),  # a size, and no power of ten
        ("for 64k steps", ["64000"]),
        ("what happens when one moves 8 degrees", ["8"]),  # somebody, and no number
        ("on one GPU in 32 bit", ["1", "32"]),  # no share
        ("lose one picture in four", ["0.25"]),
    ],
)
def test_numbers_as_they_are_written(text: str, values: list[str]) -> None:
    assert [one.value for one in read_request(text).mentions if one.kind == "number" and not one.parts] == values


def test_a_noun_that_a_name_follows_is_no_folder() -> None:
    said = read_request("the folder dataset called screws, with sub-folders for each class")
    assert [one.value for one in said.mentions] == ["screws"]


def test_where_something_comes_out_of_is_no_output() -> None:
    assert "output" not in read_request("take the voice out of songs/live").vocabulary
    assert "output" in read_request("the results come out as one file").vocabulary


@pytest.mark.parametrize("text", ["1e5000k", "2 x 10^5000", f"{'9' * 5000}k", "10^9999999", "1 million e 9"])
def test_numbers_beyond_all_counting_are_read_without_an_error(text: str) -> None:
    assert read_request(f"for {text} steps").tokens
