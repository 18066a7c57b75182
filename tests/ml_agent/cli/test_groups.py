"""Options in groups: what Typer sees of them, and what the command is called with."""

from typing import Annotated, NamedTuple

import typer
from typer.testing import CliRunner

from ml_agent.cli.tables import grouped


class Size(NamedTuple):
    """A group with an option that must be given and one that need not be."""

    width: Annotated[int, typer.Option("--width")]
    height: Annotated[int, typer.Option("--height")] = 2


@grouped
def draw(size: Size, name: Annotated[str, typer.Argument()] = "box") -> int:
    """Draw."""
    typer.echo(f"{name} {size.width}x{size.height}")
    return 0


def answer(*words: str) -> str:
    app = typer.Typer()
    app.command()(draw)
    return CliRunner().invoke(app, list(words)).output


def test_fields_are_options_beside_plain_parameters() -> None:
    assert answer("circle", "--width", "3", "--height", "4") == "circle 3x4\n"


def test_defaults_are_those_of_the_group() -> None:
    assert answer("--width", "3") == "box 3x2\n"


def test_a_field_without_a_default_must_be_given() -> None:
    assert "Missing option '--width'" in answer("circle")
