"""tyro: unions, tables and functions become subcommands."""

from collections.abc import Callable
from typing import Any

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex

Make = Callable[..., Any]

CLASSES = """
    import dataclasses
    from typing import Annotated, Union
    import tyro

    @dataclasses.dataclass
    class Adam:
        lr: float = 1e-3
        betas: tuple[float, float] = (0.9, 0.999)

    @dataclasses.dataclass
    class SGD:
        momentum: float = 0.9

    @dataclasses.dataclass
    class Train:
        optimizer: Union[Adam, SGD] = dataclasses.field(default_factory=Adam)
        max_steps: int = 100

    @dataclasses.dataclass
    class CheckoutBranch:
        name: str
"""


def signatures(repository: Make, end: str) -> dict[tuple[str, ...], Any]:
    found = repository({"main.py": CLASSES + end}).read("main.py")
    return {s.subcommand: s for s in found}


def flags(signature: Any) -> list[str]:
    return [o.flags[-1] for o in signature.options]


def test_a_union_of_classes(repository: Make) -> None:
    found = signatures(repository, "    tyro.cli(Union[SGD, CheckoutBranch])\n")
    assert {name: flags(s) for name, s in found.items()} == {("sgd",): ["--momentum"], ("checkout-branch",): ["--name"]}
    assert all(s.whole for s in found.values()) and found["checkout-branch",].options[0].required


def test_a_field_that_is_a_union(repository: Make) -> None:
    found = signatures(repository, "    tyro.cli(Train)\n")
    assert set(found) == {(), ("optimizer:adam",), ("optimizer:sgd",)}
    chosen = found["optimizer:sgd",]
    assert [(o.flags[-1], o.level) for o in chosen.options] == [("--max-steps", 0), ("--optimizer.momentum", 1)]
    assert flags(found[()]) == ["--max-steps"]


def test_commands_are_checked(repository: Make) -> None:
    root = repository({"main.py": CLASSES + "    tyro.cli(Train)\n"}).sources.root
    index = RepoIndex.open(root, "v")

    def check(words: str) -> list[str]:
        return [f.code for f in check_command(f"python main.py {words}", index)]

    assert check("--max-steps 3 optimizer:sgd --optimizer.momentum 0.5") == []
    assert check("optimizer:sgd --optimizer.lr 0.5") == ["unknown-option"]
    assert check("--max-step-count 3") == ["unknown-option"]
