"""Placeholders of documented commands."""

import time

import pytest

from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.usage.entry import holds_placeholder, quoted_placeholders


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("python main.py --data <path to images> --batch 128", ("--data", "<path to images>", "--batch", "128")),
        ("python main.py --cfg=<config> <in>/x", ("--cfg=<config>", "<in>/x")),
        ("python main.py '<quoted>' --n 3", ("<quoted>", "--n", "3")),
        ("python main.py --save [PATH TO SAVE MODEL] [DATA]", ("--save", "[PATH TO SAVE MODEL]", "[DATA]")),
        (
            "bash go.sh -s [source file, not the full path] [data name]",
            ("-s", "[source file, not the full path]", "[data name]"),
        ),
        ("python main.py --a [1, 2] [cat, dog] ['a b']", ("--a", "[1,", "2]", "[cat,", "dog]", "[a b]")),
        ("python main.py a < in.txt > out.txt", ("a",)),
        ("python main.py a <in.txt >out.txt", ("a",)),
    ],
)
def test_a_placeholder_is_one_word(text: str, words: tuple[str, ...]) -> None:
    (call,) = parse_command(quoted_placeholders(text)).invocations
    assert call.words == words


def test_long_lines_take_no_time() -> None:
    started = time.process_time()
    for text in ("<" * 100_000, "<a " * 50_000, "<a>" * 30_000, "<" + "a" * 100_000):
        quoted_placeholders(text)
        holds_placeholder(text)
    assert time.process_time() - started < 5
