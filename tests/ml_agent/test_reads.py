"""Requests are read with the encoder where the settings say so."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent.errors import ConfigurationError
from ml_agent.grounded.navigator import GroundedNavigator
from ml_agent.matching.sense import encoder_in_use, use_encoder
from ml_agent.navigator import Given, Workspace
from ml_agent.reads import read_as_set
from ml_agent.settings import load_settings
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex

SCRIPT = """import argparse
p = argparse.ArgumentParser(description="Train a classifier of birds.")
p.add_argument("--batch-size", type=int, default=32, help="samples per step")
p.add_argument("--epochs", type=int, default=10, help="passes over the training set")
p.add_argument("--lr", type=float, default=0.01, help="learning rate")
p.parse_args()
"""


@pytest.fixture(autouse=True)
def _without_it_afterwards() -> Iterator[None]:
    yield
    use_encoder(None)


def test_the_setting_decides() -> None:
    read_as_set(load_settings(encoder=True))
    assert encoder_in_use()
    read_as_set(load_settings(encoder=False))
    assert not encoder_in_use()


def test_what_is_missing_is_one_line_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ConfigurationError, match=r"needs onnxruntime: .* ML_AGENT_ENCODER=false"):
        read_as_set(load_settings(encoder=True))
    read_as_set(load_settings(encoder=False))


def test_what_is_said_in_other_words_finds_its_options(tmp_path: Path) -> None:
    root = tmp_path / "birds"
    root.mkdir()
    (root / "train.py").write_text(SCRIPT)
    read_as_set(load_settings(encoder=True))
    index = RepoIndex.open(root, "birds", tmp_path / "cache")
    workspace = Workspace(index=index, candidate=Candidate(full_name="local/birds", url="birds"), path=".")
    navigator = GroundedNavigator()
    request = navigator.understand("Train the classifier of birds: show it 64 pictures at a time, and go through all of them 3 times.", Given())  # fmt: skip
    assert next(navigator.drafts(request, workspace)).text == "python train.py --batch-size 64 --epochs 3"
    assert (tmp_path / "cache" / "vectors.sqlite").is_file()
