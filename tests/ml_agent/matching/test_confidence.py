"""How likely an answer is, and what found no place in it."""

import pytest

from ml_agent.matching.confidence import CONFIDENCE_FEATURES, ConfidenceInput, confidence_vector, unplaced
from ml_agent.matching.mentions import read_request
from ml_agent.matching.model import ConfidenceLevels
from ml_agent.tools.signatures.model import Option, Signature

TRAIN = Signature(
    path="train.py",
    doc="Train a tagger",
    options=(
        Option(dest="epochs", flags=("--epochs",), type="int", help="number of epochs"),
        Option(dest="out", flags=("--out",), help="folder for checkpoints"),
    ),
)


def judged(**more: object) -> ConfidenceInput:
    plain: dict[str, object] = {"signature": TRAIN, "shown": "", "unused": 0, "stated": 1, "margin": 1.0, "least": 1.0}
    return ConfidenceInput(**(plain | more))  # type: ignore[arg-type]


def vector(text: str, answer: str, **more: object) -> dict[str, float]:
    return dict(zip(CONFIDENCE_FEATURES, confidence_vector(read_request(text), answer, judged(**more)), strict=True))


def test_words_without_a_place_are_told() -> None:
    text = "Train the tagger for 7 epochs in German on the accelerator"
    assert unplaced(read_request(text), "python train.py --epochs 7", TRAIN) == ("german", "accelerator")


def test_what_an_example_says_has_a_place() -> None:
    text = "Train the tagger in German"
    assert unplaced(read_request(text), "python train.py", TRAIN, "## German models") == ()


def test_an_option_that_is_not_given_explains_nothing() -> None:
    assert "folder" in unplaced(read_request("Train it into a folder"), "python train.py --epochs 7", TRAIN)


@pytest.mark.parametrize(
    ("feature", "text", "answer", "more", "value"),
    [
        ("unused", "Train for 7 epochs", "python train.py", {"unused": 1}, 1.0),
        ("unused_share", "Train for 7 epochs", "python train.py", {"unused": 1, "stated": 2}, 0.5),
        ("unplaced_share", "Train tagger", "python train.py", {}, 0.0),
        ("spelled", "Train with --epochs 7", "python train.py --epochs 7", {}, 1.0),
        ("spelled_share", "Train with --epochs 7", "python train.py --epochs 7 --out a", {}, 0.5),
        ("entry_named", "Run train.py", "python train.py", {}, 1.0),
        ("entry_named", "Run it", "python train.py", {}, 0.0),
        ("filled_up", "Train", "python train.py --out out", {}, 1.0),
        ("margin", "Train", "python train.py", {"margin": 99.0}, 4.0),
        ("python", "Train", "import train", {"signature": None}, 1.0),
        ("unseen", "Train", "python train.py", {}, 0.0),
    ],
)
def test_each_feature(feature: str, text: str, answer: str, more: dict[str, object], value: float) -> None:
    assert vector(text, answer, **more)[feature] == value


def test_a_probability_is_said_as_a_word() -> None:
    levels = ConfidenceLevels({"bias": 0.0, "unused": -2.0, "sure": 0.9, "likely": 0.5, "answered": 0.1})
    assert [levels.level(one) for one in (0.95, 0.6, 0.2, 0.05)] == ["sure", "likely", "guess", "unsure"]
    zero = [0.0] * len(CONFIDENCE_FEATURES)
    assert levels.probability(zero) == 0.5
    unused = [float(name == "unused") for name in CONFIDENCE_FEATURES]
    assert levels.probability(unused) < 0.5
