"""Placeholders of documented commands."""

import time

import pytest

from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.usage.placeholders import holds_placeholder, is_metavar, quoted_placeholders


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


def test_values_with_a_placeholder_are_known() -> None:
    assert holds_placeholder("<path>/x")
    assert holds_placeholder(["a", "<b>"])
    assert holds_placeholder("[PATH TO DATA]")
    assert all(map(holds_placeholder, ("YOUR_TEXT", "DATA_DIR/images", "/PATH/TO/x", "MODEL_NAME_OR_PATH", "{name}")))
    assert not any(map(holds_placeholder, ("$DATA_DIR", "ETTh1_96", "CUT", "{'a': 1}", "PATHS", "${NAME}")))
    assert is_metavar("BATCH_SIZE", "batch-size") and not is_metavar("batch_size", "batch_size")
    assert is_metavar(["[id]"], "id") and not is_metavar("[nq_dev]", "datasets")
    assert not holds_placeholder("a < 3 > b")


def test_long_lines_take_no_time() -> None:
    started = time.process_time()
    for text in ("<" * 100_000, "<a " * 50_000, "<a>" * 30_000, "<" + "a" * 100_000):
        quoted_placeholders(text)
        holds_placeholder(text)
    assert time.process_time() - started < 5
