"""Which values of a command are taken for files that must be there."""

from collections.abc import Callable, Mapping

import pytest

Check = Callable[[str], list[str]]
Make = Callable[[Mapping[str, str]], Check]

PROGRAM = """
    import argparse
    p = argparse.ArgumentParser()
    p.add_argument("--transcript-path", help="Path to save the transcription.")
    p.add_argument("--file", help="output file")
    p.add_argument("--features-path", help="Path to saved features.")
    p.add_argument("--pretrained-from")
    p.add_argument("--source-path")
    p.add_argument("--file-suffix")
    p.add_argument("--dataset")
    p.add_argument("--dataset-path")
    p.add_argument("--table")
    p.add_argument("--save")
    p.parse_args()
"""


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("--transcript-path talk.json", False), ("--file talk.json", False), ("--features-path talk.json", True),
        ("--pretrained-from someone/model-v1-5", False), ("--pretrained-from someone/model.ckpt", True),
        ("--pretrained-from weights/model-v1-5", True), ("--pretrained-from a/b/c", True),
        ("--source-path someone/model", True), ("--file-suffix .jpg", False), ("--file-suffix a.jpg", True),
        ("--dataset someone/texts", False), ("--dataset data/texts", True), ("--dataset-path someone/texts", True),
        ("--table data/point.csv", True), ("--table data/other.csv", False), ("--save data/point.csv", False),
    ],
)  # fmt: skip
def test_only_inputs_are_missed(checked: Make, words: str, missing: bool) -> None:
    says = checked({"main.py": PROGRAM, "data/points.csv": "1,2"})
    assert says(f"python main.py {words}") == ["warning no-such-file"] * missing
