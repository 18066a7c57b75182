"""The check of commands of click, typer and absl."""

from collections.abc import Callable, Mapping

import pytest

Check = Callable[[str], list[str]]
Make = Callable[[Mapping[str, str]], Check]

CLICK = """
    import click
    @click.command()
    @click.option("--n", type=click.IntRange(1, 5))
    @click.option("--rate", type=click.FloatRange(min=0, max=1, min_open=True))
    @click.option("--loose", type=click.IntRange(0, 9, clamp=True))
    @click.option("--size", type=(int, int))
    @click.option("--pair", type=(str, int))
    @click.option("--device", type=click.Choice(["cpu", "cuda"], case_sensitive=False))
    def main(**kwargs): ...
    main()
"""
TYPER = """
    import typer
    from typing import Annotated
    def main(lr: Annotated[float, typer.Option(min=0.0)] = 0.1, n: int = typer.Option(3, max=8)): ...
    typer.run(main)
"""
ABSL = """
    from absl import app, flags
    flags.DEFINE_integer("steps", 10, "Steps.", lower_bound=1)
    flags.DEFINE_float("rate", 0.1, "Rate.", 0.0, 1.0)
    def main(_): ...
    app.run(main)
"""


@pytest.mark.parametrize(
    ("program", "words", "wrong"),
    [
        (CLICK, "--n 5 --rate 1 --loose 20 --size 3 4 --pair a 4 --device CUDA", False), (CLICK, "--n x", True),
        (CLICK, "--size 3", True), (CLICK, "--size 3 x", True), (CLICK, "--device tpu", True),
        (TYPER, "--lr 0 --n 8", False), (TYPER, "--lr x", True), (ABSL, "--steps 1 --rate 1", False),
        (ABSL, "--steps x", True),
    ],
)  # fmt: skip
def test_what_a_type_refuses(checked: Make, program: str, words: str, wrong: bool) -> None:
    found = checked({"main.py": program})(f"python main.py {words}")
    assert [f.partition(" ")[0] for f in found][:1] == ["error"] * wrong
