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
        ("data get --splits 3", ["error unknown-option"]), ("data fetch", ["error missing-required"]),
    ],
)  # fmt: skip
def test_a_subcommand_may_be_called_by_its_alias(checked: Make, words: str, said: list[str]) -> None:
    says = checked({"main.py": PROGRAM})
    assert says(f"python main.py {words}") == said


def test_aliases_that_are_computed_may_be_any(checked: Make) -> None:
    says = checked({"main.py": PROGRAM.replace('["fit", "learn"]', "open('names').readlines()")})
    assert says("python main.py exercise --out o x") == ["unsure cannot-tell"]
