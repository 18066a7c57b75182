"""Programs of typer: commands, groups, and what functions with annotations take."""

import time
from collections.abc import Callable
from typing import Any

from ml_agent.tools.signatures.model import Option, Signature

Find = Callable[[Signature, str], Option]
Make = Callable[..., Any]


def test_typer(repository: Make, option: Find) -> None:
    found = repository({
        "main.py": """
        from enum import Enum
        from pathlib import Path
        from typing import Annotated, List, Optional
        import typer
        app = typer.Typer()
        class Net(str, Enum):
            simple = "simple"
            conv = "conv"
        @app.command()
        def train(data: Path, lr: float = 0.1, net: Net = typer.Option(Net.simple, "--net", "-n", help="Which."),
                  amp: bool = True, tags: List[str] = typer.Option([]), out: Annotated[Optional[str], typer.Option(help="o")] = None):
            '''Train.'''
        @app.command(name="eval")
        def evaluate(x: int = typer.Option(..., help="needed")): ...
        if __name__ == "__main__":
            app()
        """
    }).read("main.py")  # fmt: skip
    train, evaluate = found
    assert train.subcommand == ("train",) and train.framework == "typer" and train.syntax == "click"
    assert option(train, "data").positional and option(train, "data").required and option(train, "data").type == "path"
    assert option(train, "lr").flags == ("--lr",) and option(train, "lr").default == "0.1"
    assert option(train, "net").flags == ("--net", "-n") and option(train, "net").choices == ("simple", "conv")
    assert option(train, "amp").negative_flags == ("--no-amp",)
    assert option(train, "tags").repeatable and option(train, "out").help == "o"
    assert evaluate.subcommand == ("eval",) and option(evaluate, "x").required


def test_types_that_grow_take_no_time(repository: Make) -> None:
    grown = "".join(f"T{n + 1} = Union[T{n}, T{n}]\n" for n in range(60))
    deep = "".join(f"D{n + 1} = Optional[D{n}]\n" for n in range(2000))
    start = time.monotonic()
    text = f"from typing import Optional, Union\nimport typer\nT0 = D0 = Optional[int]\n{grown}{deep}"
    (made,) = repository({"main.py": text + "def f(a: T60, b: D2000): ...\ntyper.run(f)\n"}).read("main.py")
    assert [o.dest for o in made.options] == ["a", "b"] and time.monotonic() - start < 5
