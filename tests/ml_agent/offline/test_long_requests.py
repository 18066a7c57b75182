"""Requests that say the same again and again: the longest that are taken are answered in time."""

import re

import pytest

from ml_agent.errors import UsageError
from ml_agent.request import LONGEST, check_instruction
from tests.ml_agent.offline.conftest import Make
from tests.processor_time import within

TRAIN = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--learning_rate", type=float, default=0.1)
    parser.add_argument("--data")
    parser.parse_args()
"""
SAID = ("-", "_", ".", "~", "1,", "a.", "1.", "a_b ", "x=1 ", "--data 1 ", "Foo-1 ", "a/b.csv ", "3% ", "half of 3 ")
_MOST = 2_400
"""Words and numbers, a little below the limit."""


@pytest.mark.parametrize("piece", SAID)
def test_what_is_said_again_and_again_is_read_in_time(repository: Make, piece: str) -> None:
    counted = len(re.findall(r"\w+", piece)) or 1
    text = f"train the model with {piece * min(_MOST // counted, (LONGEST - 30) // len(piece))}"
    check_instruction(text)
    place = repository({"train.py": TRAIN, "README.md": "# Training\n\n    python train.py --learning_rate 0.5\n"})
    assert within(4.0, lambda: place.answers(text)) is not None


def test_a_request_of_thousands_of_numbers_is_refused_in_a_line() -> None:
    with pytest.raises(UsageError, match=r"5,003 words and numbers; the limit is 2,500"):
        check_instruction("cluster these numbers " + "1," * 5_000)
    check_instruction("cluster these numbers " + "1," * 2_000)
