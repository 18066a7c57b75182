"""Comments that say what an option is, where its framework takes no help text."""

import time
from collections.abc import Callable

import pytest

from ml_agent.tools.signatures.comments import comment_at
from ml_agent.tools.signatures.model import Signature

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


def test_a_comment_above_a_call_says_what_is_done_next() -> None:
    lines = ["# evaluation", "parser.add_argument('--n')", "", "parser.add_argument('--m')  # how many"]
    assert [comment_at(lines, n) for n in (2, 4, 0, 9)] == ["", "how many", "", ""]


def test_marks_that_nobody_sees_are_left_out() -> None:
    assert comment_at(["x = 1  # how\u200b ma\u202eny"], 1) == "how many"


def test_long_lines_take_no_time() -> None:
    started = time.process_time()
    for text in ("'" * 100_000, '"#' * 50_000, "a" * 100_000 + "=", "# " * 50_000):
        comment_at([text, "x = 1", text], 1)
        comment_at([text, "x = 1", text], 2)
    assert time.process_time() - started < 5


def test_an_option_without_help_has_the_comment(script: Callable[..., Signature]) -> None:
    read = script(
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--depth", type=int)  # layers of the network
        parser.add_argument("--width", type=int, help="its width")  # something else
        parser.parse_args()
        """
    )
    assert {option.dest: option.help for option in read.options} == {
        "depth": "layers of the network",
        "width": "its width",
    }


def test_a_key_of_a_yaml_file_has_its_own_comment(script: Callable[..., Signature], tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "base.yaml").write_text("model:\n  size: 3  # of the model\ndata:\n  size: 4  # of the data\n")
    read = script(
        """
        import hydra
        @hydra.main(config_path="conf", config_name="base")
        def main(cfg): ...
        if __name__ == "__main__":
            main()
        """
    )
    assert {option.dest: option.help for option in read.options} == {
        "model.size": "of the model",
        "data.size": "of the data",
    }
