"""The check of commands that ask for help or for the version: the program ends there."""

import pytest

from tests.tools.conftest import Make

ARGPARSE = """
    import argparse
    p = argparse.ArgumentParser()
    p.add_argument("audio", nargs="+")
    p.add_argument("--lr", type=float)
    p.add_argument("--must", required=True)
    p.add_argument("-v", action="store_true")
    p.add_argument("-V", "--version", action="version", version="1")
    p.add_argument("--manual", action="help")
    p.parse_args()
    """
LEVELS = """
    import argparse
    p = argparse.ArgumentParser()
    p.add_argument("--version", action="version", version="1")
    s = p.add_subparsers(required=True)
    f = s.add_parser("fit")
    f.add_argument("data")
    p.parse_args()
    """
CLICK = """
    import click
    @click.command()
    @click.option("--must", required=True)
    @click.option("--list", "shown", is_flag=True, is_eager=True, callback=print)
    @click.version_option("1", "-V", "--version")
    def main(must, shown): ...
    main()
    """
TYPER = """
    import typer
    def main(must: str, version: bool = typer.Option(False, "--version", callback=print, is_eager=True)): ...
    typer.run(main)
    """


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        (ARGPARSE, "--version", []),
        (ARGPARSE, "-V", []),
        (ARGPARSE, "-vV", []),
        (ARGPARSE, "--vers", []),
        (ARGPARSE, "--manual", []),
        (ARGPARSE, "--help --foo", []),
        (ARGPARSE, "-V --lr abc --foo", []),
        (ARGPARSE, "--foo --version", []),
        (ARGPARSE, "--lr abc --help", ["error bad-type"]),
        (ARGPARSE, "a.wav --must 1 --versoin", ["error unknown-option"]),
        (LEVELS, "--version", []),
        (LEVELS, "--version fit --x", []),
        (LEVELS, "fit d --version", ["error unknown-option"]),
        (LEVELS, "fit --help --x", []),
        (CLICK, "--version", []),
        (CLICK, "-V", []),
        (CLICK, "--list", []),
        (CLICK, "--version --x", ["error unknown-option"]),
        (CLICK, "", ["error missing-required"]),
        (TYPER, "--version", []),
        (TYPER, "", ["error missing-required"]),
    ],
)
def test_a_program_that_shows_its_version_or_help_looks_at_nothing_else(
    checked: Make, text: str, words: str, found: list[str]
) -> None:
    assert checked({"main.py": text})(f"python main.py {words}") == found
