"""The check of commands against subcommands of argparse: their other names, and where their options stand."""

from collections.abc import Callable, Mapping

import pytest

Check = Callable[[str], list[str]]
Make = Callable[[Mapping[str, str]], Check]

PROGRAM = """
    import argparse
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(dest="cmd", required=True)
    train = sub.add_parser("train", aliases=["fit", "learn"])
    train.add_argument("--out", required=True)
    train.add_argument("name")
    data = sub.add_parser("data").add_subparsers(required=True)
    get = data.add_parser("download", aliases=("get",))
    get.add_argument("--split", type=int)
    p.parse_args()
"""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("train --out o x", []), ("fit --out o x", []), ("learn x --out o", []), ("fit x", ["error missing-required"]),
        ("fitt x --out o", ["error missing-required"]), ("data get --split 3", []), ("data download", []),
        ("data get --splits 3", ["error unknown-option"]), ("data fetch", ["error missing-required"]), ("$@", []), ("$MODE --out o x", []),
    ],
)  # fmt: skip
def test_a_subcommand_may_be_called_by_its_alias(checked: Make, words: str, said: list[str]) -> None:
    says = checked({"main.py": PROGRAM})
    assert says(f"python main.py {words}") == said


LEVELS = """
    import argparse
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("--config")
    first.parse_known_args()
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--seed", type=int)
    p = argparse.ArgumentParser(parents=[first, common])
    p.add_argument("--verbose", action="store_true")
    sub = p.add_subparsers(dest="cmd", required=True)
    train = sub.add_parser("train", parents=[common])
    train.add_argument("--out-dir")
    train.add_argument("name")
    p.parse_args()
"""
COMMANDS = """
    import click
    @click.group()
    @click.option("--verbose", is_flag=True)
    def cli(verbose): ...
    @cli.command()
    @click.option("--out-dir")
    @click.argument("name")
    def train(out_dir, name): ...
    cli()
"""


@pytest.mark.parametrize("program", [LEVELS, COMMANDS])
@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("--verbose train --out-dir o x", False), ("train x --verbose", True), ("--out-dir o train x", True),
        ("--out-dir=o train x", True), ("train --out-dir o x", False),
    ],
)  # fmt: skip
def test_options_stand_on_their_side_of_a_subcommand(checked: Make, program: str, words: str, wrong: bool) -> None:
    assert checked({"main.py": program})(f"python main.py {words}") == ["error unknown-option"] * wrong


def test_a_decorator_may_run_what_it_decorates(checked: Make) -> None:
    says = checked({"main.py": "import begin\n@begin.start\ndef main(data): ...\n", "lib.py": "def main(data): ...\n"})
    assert says("python main.py data") == ["unsure cannot-tell"]
    assert says("python lib.py data") == ["error not-an-entry-point"]
