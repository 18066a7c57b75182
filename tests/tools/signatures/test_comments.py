"""Comments that say what an option is, where its framework takes no help text."""

import time

import pytest

from ml_agent.tools.signatures.comments import comment_at

TEXT = """
# -----------------
# data
batch = 12
block = 1024  # length of a context, in tokens
name = "a # b"  # who it is
# how many steps
# are taken
steps = 5

# lr = 0.1
lr = 0.2

parser.add_argument("--heads")
rate = 1  # noqa: E501
"""
FILE = TEXT.split("\n")


@pytest.mark.parametrize(
    ("setting", "comment"),
    [
        ("block", "length of a context, in tokens"),
        ("name", "who it is"),
        ("steps", "how many steps are taken"),
        ("batch", ""),
        ("lr", ""),
        ("rate", ""),
    ],
)
def test_what_stands_with_a_setting(setting: str, comment: str) -> None:
    line = next(n for n, text in enumerate(FILE, 1) if text.startswith(setting))
    assert comment_at(FILE, line) == comment


def test_long_lines_take_no_time() -> None:
    started = time.process_time()
    for text in ("'" * 100_000, '"#' * 50_000, "a" * 100_000 + "=", "# " * 50_000):
        comment_at([text, "x = 1", text], 1)
        comment_at([text, "x = 1", text], 2)
    assert time.process_time() - started < 5
