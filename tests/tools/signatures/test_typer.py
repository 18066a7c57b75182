"""Programs of typer: commands, groups, and what functions with annotations take."""

import time
from collections.abc import Callable
from typing import Any

from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
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


def test_typer_with_types_that_have_names(repository: Make, option: Find) -> None:
    (train,) = repository({
        "shared.py": """
        from dataclasses import dataclass
        from typing import Annotated, Any, Literal, Optional, Union
        from typer import Argument, Option
        @dataclass
        class Arg:
            type: Annotated
            default: Any
        steps = Arg(type=Annotated[int, Option("--steps", "-n", help="How many.")], default=3)
        tag = Arg(type=Annotated[Optional[str], Option(help="A name.")], default=None)
        Task = Annotated[str, Argument(help="What to do.")]
        Size = Literal["small", "large"]
        Rate = Union[int, float, None]
        """,
        "main.py": """
        import typer
        from shared import Rate, Size, Task, steps, tag
        def train(task: Task, steps: steps.type = steps.default, tag: tag.type = tag.default,
                  size: Size = "small", rate: Rate = None): ...
        typer.run(train)
        """,
    }).read("main.py")  # fmt: skip
    assert [(o.type, o.sure) for o in train.options] == [
        ("str", True), ("int", True), ("str", True), ("str", True), ("float", True),
    ]  # fmt: skip
    assert option(train, "task").positional and option(train, "task").help == "What to do."
    assert option(train, "steps").flags == ("--steps", "-n") and option(train, "steps").default == "3"
    assert option(train, "size").choices == ("small", "large")


def test_types_that_grow_take_no_time(repository: Make) -> None:
    grown = "".join(f"T{n + 1} = Union[T{n}, T{n}]\n" for n in range(60))
    deep = "".join(f"D{n + 1} = Optional[D{n}]\n" for n in range(2000))
    start = time.monotonic()
    text = f"from typing import Optional, Union\nimport typer\nT0 = D0 = Optional[int]\n{grown}{deep}"
    (made,) = repository({"main.py": text + "def f(a: T60, b: D2000): ...\ntyper.run(f)\n"}).read("main.py")
    assert [o.dest for o in made.options] == ["a", "b"] and time.monotonic() - start < 5


def test_commands_of_typer_lie_in_modules_that_are_imported_for_them_alone(repository: Make) -> None:
    found = repository({
        "tool/__init__.py": "",
        "tool/__main__.py": "from tool.cli import start\nstart()\n",
        "tool/cli/__init__.py": "from ._base import app, start\nfrom .train import train_cli\n",
        "tool/cli/_base.py": """
        import typer
        from other import app as others
        from typer.main import get_command
        Opt = typer.Option
        app = typer.Typer()
        app.add_typer(others, name="project")
        def start():
            command = get_command(app)
            command(prog_name="tool")
        """,
        "tool/cli/train.py": """
        from ._base import Opt, app
        @app.command("train", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
        def train_cli(config: str, gpu: int = Opt(-1, "--gpu-id", "-g")): ...
        @app.command("test")
        def test_cli(config: str): ...
        """,
    }).read("tool/__main__.py")  # fmt: skip
    assert [(s.subcommand, s.accepts_unknown, bool(s.unseen)) for s in found] == [
        (("train",), True, False), (("test",), False, False), (("project",), True, True),
    ]  # fmt: skip
    assert [o.flags for o in found[0].options] == [(), ("--gpu-id", "-g")]


def test_typer_run_needs_no_subcommand(script: Script) -> None:
    signature = script("""
        import typer
        def main(name: str, count: int = 1): ...
        if __name__ == "__main__":
            typer.run(main)
    """)
    assert signature.subcommand == () and [o.dest for o in signature.options] == ["name", "count"]
