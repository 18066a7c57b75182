"""A number with its unit, read by words."""

import pytest

from tests.ml_agent.grounded.conftest import Make

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
