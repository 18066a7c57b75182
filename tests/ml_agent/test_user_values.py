"""The values that a request states."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.numbers import words_at
from ml_agent.request import Value
from ml_agent.user_values import explicit_flags, quoted_paths, tokens_of, user_values


def found(text: str, kind: str = "") -> dict[str, Value]:
    """The values of a text by what would be typed; of two alike the first."""
    values: dict[str, Value] = {}
    for value in user_values(text):
        if kind in ("", value.kind):
            values.setdefault(value.value, value)
    return values


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("train for half a million steps", "500000"),
        ("a total of 300,000 training steps", "300000"),
        ("train for 10 000 steps", "10000"),
        ("use 10k samples", "10000"),
        ("a learning rate of 1e-4", "1e-4"),
        ("learning rate 2e−3", "2e-3"),
        ("a rate of 10^-4.", "1e-4"),
        ("lr 1×10⁻³", "1e-3"),
        ("2**16 samples", "65536"),
        ("for 2.5 x 10^6 steps", "2.5e6"),
        ("the threshold as -1.0", "-1.0"),
        ("the 25-layer embedding", "25"),
        ("show 256px images", "256"),
        ("resample to 44.1 kHz", "44100"),
        ("hold out 30 percent for testing", "30"),
        ("let windows overlap by forty percent", "40"),
        ("continue for a hundred epochs", "100"),
        ("one hundred and two of them", "102"),
        ("a weight decay of three hundredths", "0.03"),
        ("a penalty of six and a half", "6.5"),
        ("for two epochs", "2"),
        ("the model – 3 layers deep", "3"),
    ],
)
def test_numbers_are_read_as_they_would_be_typed(text: str, typed: str) -> None:
    assert list(found(text, "number")) == [typed]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("the wn18rr dataset at 256p, as 2048_crop", ["wn18rr", "256p", "2048_crop"]),
        ("with CoreNLP 3.4.1 at 10.0.0.1:8080.", ["CoreNLP", "3.4.1", "10.0.0.1:8080"]),
        ("pool to 600 450 300 edges", ["600", "450", "300"]),
        ("seeds 1–3, sizes 256x256 and 64 x 32", ["1-3", "256x256", "64", "32"]),
        ("shape (50, 512, 7, 7)", ["(50,512,7,7)"]),
        ("go on after the twenty-eighth round", []),
        ("run two/run.py on data/ten with 3 of one/two", ["two/run.py", "data/ten", "3", "one/two"]),
        ("the 'guidance_scale' parameter is 5.0", ["5.0"]),
        ("is_training 1 and enc_in 321", ["1", "321"]),
        ("on GPUs under Python with PyTorch", []),
        ("put 'Answer this: ' before it, w/ sum and w/o amp", ["Answer this: "]),
        ("'image'.jpg and cov19.fasta", ["image.jpg", "cov19.fasta"]),
        ("shards at /data/r07-*-of-*.tfrecords", ["/data/r07-*-of-*.tfrecords"]),
        ("from /models/seg/epoch=12.ckpt on", ["/models/seg/epoch=12.ckpt"]),
        ("run it with python -m util.videos", ["util.videos"]),
        ("score EleutherAI/pythia-410m now", ["EleutherAI/pythia-410m"]),
        ("gather 'round! It's the user's turn", []),
        ("用 数据.txt 训练", ["数据.txt"]),
    ],
)
def test_what_is_a_value_and_what_is_none(text: str, values: list[str]) -> None:
    assert [one.value for one in user_values(text)] == values


@pytest.mark.parametrize(
    ("text", "value", "kind", "required"),
    [
        ("the dataset known as gowalla", "gowalla", "name", True),
        ("use chain A of it", "A", "name", True),
        ("the Encoder of CIFAR", "CIFAR", "name", False),
        ("for two epochs", "2", "number", False),
        ("for twelve epochs", "12", "number", True),
        ("with 'a dog on a desk'", "a dog on a desk", "text", True),
        ('results in "out/first run.csv"', "out/first run.csv", "path", True),
        ("score EleutherAI/pythia-410m", "EleutherAI/pythia-410m", "name", True),
    ],
)
def test_a_value_has_a_kind_and_may_be_a_guess(text: str, value: str, kind: str, required: bool) -> None:
    assert (found(text)[value].kind, found(text)[value].required) == (kind, required)


def test_options_that_are_spelled_keep_their_names() -> None:
    text = "python -m birds.train with `--lr 3e-4`, -P and lr=3e-4, `seed=11,22` --top_k=5 and --out 'a b'."
    flags = {one.name: one.value for one in explicit_flags(text)}
    assert flags == {"--lr": "3e-4", "-P": None, "lr": "3e-4", "seed": "11,22", "--top_k": "5", "--out": "a b"}
    values = {value.name: (value.value, value.kind) for value in user_values(text) if value.name}
    assert values["P"] == ("true", "switch") and values["out"] == ("a b", "text")


def test_a_quoted_file_keeps_its_blanks() -> None:
    text = "write \"out dir/best ü.json\" into the folder 'my results', not 'a b'"
    assert [token.value for token in quoted_paths(text)] == ["out dir/best ü.json", "my results"]


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_and_places_lie_in_it(text: str) -> None:
    for value in user_values(text):
        assert 0 <= value.start < value.end <= len(text)


@pytest.mark.parametrize("text", ["1e5000k", "2 x 10^5000", f"{'9' * 5000}k", f"{'9' * 5000} kHz", "1 million e 9"])
def test_numbers_beyond_all_counting_end_nothing(text: str) -> None:
    assert tokens_of(f"for {text} steps")


@pytest.mark.parametrize(
    "text",
    [
        "a-" * 10_000,
        "*" + ".a" * 10_000,
        "a*" * 10_000,
        "x/" + "a=1-" * 4_000,
        "two " * 10_000,
        "`a" + "a." * 20_000,
        "two" + " " * 50_000,
    ],
)
def test_a_long_text_is_read_in_linear_time(text: str) -> None:
    began = time.process_time()
    user_values(text)
    words_at(text, 0)
    assert time.process_time() - began < 5
