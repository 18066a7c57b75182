"""Texts as vectors."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ml_agent.encoder.encoder import SIZE, Encoder, shipped

RATE = "learning rate; step size of the optimizer; number; such as 0.001"
SIZE_OF_BATCH = "batch size; samples per step; whole number; such as 32"


def another() -> Encoder:
    """The shipped encoder, as another process has it."""
    own = shipped()
    return Encoder(own.model, own.vocabulary)


def test_a_token_says_where_it_stands() -> None:
    text = "Train for 30 épochs"
    reading = shipped().read(text)
    words = [text[start:end] for start, end in reading.offsets if end > start]
    assert "".join(words) == text.replace(" ", "")
    assert reading.vectors.shape == (len(reading.offsets), SIZE)
    assert reading.idle.shape == (len(reading.offsets),)


def test_a_text_has_one_vector_whoever_stands_beside_it() -> None:
    alone = another().options([RATE])[0]
    beside = another().options([SIZE_OF_BATCH, RATE, "out"])[1]
    assert np.abs(alone - beside).max() < 0.01


def test_what_is_kept_on_disk_is_what_was_made(tmp_path: Path) -> None:
    first, second = another(), another()
    first.keep_in(tmp_path)
    made = first.options([RATE, SIZE_OF_BATCH])
    first.close()
    second.keep_in(tmp_path)
    assert np.array_equal(second.options([RATE, SIZE_OF_BATCH]), made)


def test_a_damaged_file_of_vectors_costs_only_the_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "vectors.sqlite").write_bytes(b"no database" * 100)
    encoder = another()
    encoder.keep_in(tmp_path)
    assert encoder.options([RATE]).shape == (1, SIZE)
    assert "not used" in caplog.text


@pytest.mark.parametrize("text", ["", " ", "x" * 300_000, "\0\ud800 \udfff", "１２３ 🙂 ﷽"])
def test_any_text_is_read_within_bounds(text: str) -> None:
    reading = another().read(text)
    assert len(reading.offsets) <= 320
    assert np.isfinite(reading.vectors).all()
    assert np.isfinite(another().options([text])).all()


def test_no_texts_have_no_vectors() -> None:
    assert shipped().options([]).shape == (0, SIZE)


def test_reading_writes_nothing_to_the_home(tmp_path: Path) -> None:
    """The runtime of the model keeps an identifier and what it will send in the home, where it is not told otherwise."""
    code = "from ml_agent.encoder.encoder import shipped; shipped().read('Train for 30 epochs')"
    root = Path(__file__).parents[3]
    environment = {"HOME": str(tmp_path), "PYTHONPATH": str(root), "ORT_DISABLE_TELEMETRY": "0"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)
    assert list(tmp_path.rglob("*")) == []
