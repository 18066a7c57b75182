"""When a request is read by words alone, and when by its sense."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent.encoder.encoder import Encoder, shipped
from ml_agent.grounded.navigator import GroundedNavigator
from ml_agent.matching.sense import use_encoder
from ml_agent.navigator import Given, Workspace
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from tests.ml_agent.grounded.conftest import Make

FILES = {
    "README.md": "# Birds\n\nTrain the large classifier:\n\n```\npython train.py --model resnet50 --batch-size 128\n```\n",
    "train.py": """import argparse
p = argparse.ArgumentParser(description="Train a classifier of birds.")
p.add_argument("--model", default="alexnet", help="architecture")
p.add_argument("--batch-size", type=int, default=32, help="samples per step")
p.add_argument("--epochs", type=int, default=10, help="passes over the training set")
p.parse_args()
""",
}
DOCUMENTED = "Train the large classifier of birds, resnet50, with a batch size of 128."
OTHERWISE = "Train the classifier of birds: show it 64 pictures at a time, and go through all of them 3 times."


@pytest.fixture
def loaded() -> Iterator[list[Encoder]]:
    """Encoders that were asked for."""
    found: list[Encoder] = []

    def load() -> Encoder:
        found.append(shipped())
        return found[-1]

    use_encoder(load)
    yield found
    use_encoder(None)


def first(tmp_path: Path, instruction: str) -> str:
    root = tmp_path / "birds"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    index = RepoIndex.open(root, "birds", tmp_path / "cache")
    workspace = Workspace(index=index, candidate=Candidate(full_name="local/birds", url="birds"), path=".")
    navigator = GroundedNavigator()
    return next(navigator.drafts(navigator.understand(instruction, Given()), workspace)).text


def test_a_documented_way_that_says_all_needs_no_encoder(tmp_path: Path, loaded: list[Encoder]) -> None:
    assert first(tmp_path, DOCUMENTED) == "python train.py --model resnet50 --batch-size 128"
    assert not loaded


def test_who_names_the_program_may_mean_another_way(tmp_path: Path, loaded: list[Encoder]) -> None:
    first(tmp_path, f"{DOCUMENTED} Start train.py.")
    assert loaded


def test_what_no_document_says_is_read_by_its_sense(tmp_path: Path, loaded: list[Encoder]) -> None:
    assert first(tmp_path, OTHERWISE) == "python train.py --batch-size 64 --epochs 3"
    assert loaded


def test_a_documented_way_without_a_place_for_a_value_is_not_enough(tmp_path: Path, loaded: list[Encoder]) -> None:
    first(tmp_path, DOCUMENTED + " Write the weights to /tmp/nest.pt.")
    assert loaded


CONVERT = """
    import argparse

    parser = argparse.ArgumentParser(description="convert an audio file")
    parser.add_argument("--input", required=True, help="audio file to convert")
    parser.add_argument("--bitrate", default="128k", help="bitrate of the output")
    parser.add_argument("--buffer", default="64M", help="buffer size")
    parser.parse_args()
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("with bitrate 256k", "--bitrate 256k"),
        ("at 192K bitrate", "--bitrate 192k"),
        ("with a bitrate of 96000", "--bitrate 96000"),
        ("with buffer size 32M", "--buffer 32M"),
    ],
)
def test_a_number_with_its_unit_goes_where_such_a_one_is_usual(repository: Make, said: str, expected: str) -> None:
    place = repository({"convert.py": CONVERT, "a.wav": ""})
    assert place.answer(f"convert a.wav {said}").text == f"python convert.py --input a.wav {expected}"
