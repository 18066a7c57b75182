"""Settings that the text of one option holds."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.tools.commandline.render import render_command
from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.signatures.model import Signature

Make = Callable[..., Any]

HPARAMS = """
    import tensorflow as tf

    def create_hparams(hparams_string=None):
        hparams = tf.contrib.training.HParams(
            # steps between checkpoints
            interval=1000,

            fp16_run=False,
            learning_rate=1e-3,  # of the optimizer
            layers=[1, 2],
        )
        if hparams_string:
            hparams.parse(hparams_string)
        return hparams
"""
WITH_COMMAS = """
    import argparse
    from hparams import create_hparams

    if __name__ == "__main__":
        parser = argparse.ArgumentParser()
        parser.add_argument("-o", "--output_directory", type=str)
        parser.add_argument("--hparams", type=str, help="comma separated name=value pairs")
        args = parser.parse_args()
        create_hparams(args.hparams)
"""
WITH_JSON = """
    import argparse, json

    class Config:
        def __init__(self, data_dir, **kwargs):
            self.data_dir = data_dir
            self.size = "small"
            self.do_train = True
            self.rate = 5e-4
            self.update(kwargs)

    def main():
        parser = argparse.ArgumentParser()
        parser.add_argument("--data-dir", required=True)
        parser.add_argument("--hparams", default="{}", help="JSON dict of model hyperparameters.")
        args = parser.parse_args()
        hparams = json.loads(args.hparams)
        print(Config(args.data_dir, **hparams))

    if __name__ == "__main__":
        main()
"""


@pytest.fixture
def commas(repository: Make) -> Signature:
    (read,) = repository({"train.py": WITH_COMMAS, "hparams.py": HPARAMS}).read("train.py")
    return read  # type: ignore[no-any-return]


@pytest.fixture
def json_text(repository: Make) -> Signature:
    (read,) = repository({"train.py": WITH_JSON}).read("train.py")
    return read  # type: ignore[no-any-return]


def within(signature: Signature) -> dict[str, tuple[str, str | None, str]]:
    return {one.dest: (one.type, one.default, one.help) for one in signature.options if one.within == "hparams"}


def test_settings_of_hparams_stand_within_the_option_that_they_parse(commas: Signature) -> None:
    found = within(commas)
    assert list(found) == ["interval", "fp16_run", "learning_rate", "layers"]
    assert found["interval"] == ("int", "1000", "steps between checkpoints")
    assert found["learning_rate"] == ("float", "0.001", "of the optimizer")


def test_settings_are_written_in_one_word(commas: Signature, json_text: Signature) -> None:
    call = {"output_directory": "out", "fp16_run": True, "learning_rate": "3e-5"}
    assert render_command(commas, call) == (
        "python train.py --output_directory out --hparams fp16_run=True,learning_rate=3e-5"
    )
    call = {"data_dir": "d", "size": "base", "do_train": False, "rate": "2e-4"}
    assert render_command(json_text, call) == (
        """python train.py --data-dir d --hparams '{"size": "base", "do_train": false, "rate": 0.0002}'"""
    )


def test_what_is_written_is_read_again(commas: Signature, json_text: Signature) -> None:
    words = ["--hparams=fp16_run=True,layers=[3,4],interval=5"]
    assert parse_call(commas, words).values == {"fp16_run": True, "layers": "[3,4]", "interval": 5}
    words = ["--data-dir", "d", "--hparams", '{"size": "base", "rate": 0.5}']
    assert parse_call(json_text, words).values == {"data_dir": "d", "size": "base", "rate": 0.5}


def test_a_setting_that_is_not_there_is_found(commas: Signature) -> None:
    parsed = parse_call(commas, ["--hparams", "learning_rat=1,interval=5"])
    assert [one.code for one in parsed.findings] == ["unknown-option"]
    assert parsed.findings[0].suggestion == "learning_rate"
    assert parsed.values == {"hparams": "learning_rat=1", "interval": 5}


def test_many_options_that_might_hold_settings_cost_little(repository: Make) -> None:
    many = "".join(f'        parser.add_argument("--param_{n}")\n' for n in range(2_000))
    program = WITH_JSON.replace("        args = parser", f"{many}        args = parser")
    began = time.process_time()
    repository({"train.py": program + "\n" + "    x = 1\n" * 20_000}).read("train.py")
    assert time.process_time() - began < 5
