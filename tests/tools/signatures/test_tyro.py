"""tyro: unions, tables and functions become subcommands."""

from collections.abc import Callable
from typing import Any

import pytest

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


def test_a_union_by_its_sign_with_a_name_of_its_own(repository: Make) -> None:
    named = 'Annotated[SGD, tyro.conf.subcommand(name="plain")]'
    found = signatures(repository, f"    tyro.cli({named} | Adam)\n")
    assert set(found) == {("plain",), ("adam",)}


def test_a_field_that_is_a_union(repository: Make) -> None:
    found = signatures(repository, "    tyro.cli(Train)\n")
    assert set(found) == {(), ("optimizer:adam",), ("optimizer:sgd",)}
    chosen = found["optimizer:sgd",]
    assert [(o.flags[-1], o.level) for o in chosen.options] == [("--max-steps", 0), ("--optimizer.momentum", 1)]
    assert flags(found[()]) == ["--max-steps"]


def test_a_table_of_configurations(repository: Make) -> None:
    table = '{"short": ("Soon over.", Train(max_steps=3)), "long": ("Takes a day.", Train())}'
    found = signatures(repository, f"    tyro.extras.overridable_config_cli({table})\n")
    assert found["short",].options[0].default == "3" and found["long",].options[0].default == "100"
    assert set(found) == {("short",), ("long",)}


def test_a_table_of_configurations_makes_no_subcommands_of_unions(repository: Make) -> None:
    """tyro.extras.overridable_config_cli takes what the default is."""
    table = '{"slow": ("Slow.", Train(optimizer=SGD(momentum=0.5))), "fast": ("Fast.", Train())}'
    found = signatures(repository, f"    tyro.extras.overridable_config_cli({table})\n")
    assert flags(found["slow",]) == ["--max-steps", "--optimizer.momentum"]
    assert flags(found["fast",]) == ["--max-steps", "--optimizer.lr", "--optimizer.betas"]
    assert [o.default for o in found["slow",].options] == ["100", "0.5"] and found["slow",].options[1].level == 1


@pytest.mark.parametrize(
    "call", ["tyro.cli(tyro.conf.AvoidSubcommands[Train])", "tyro.cli(Train, config=(tyro.conf.AvoidSubcommands,))"]
)
def test_a_union_that_is_to_make_no_subcommands(repository: Make, call: str) -> None:
    found = signatures(repository, f"    {call}\n")
    assert set(found) == {()} and flags(found[()]) == ["--max-steps", "--optimizer.lr", "--optimizer.betas"]
    assert found[()].options[1].default == "0.001"


def test_a_type_made_of_defaults_behind_markers(repository: Make) -> None:
    made = 'tyro.extras.subcommand_type_from_defaults({"a": SGD(momentum=0.5), "b": Adam()})'
    found = signatures(repository, f"    Any = tyro.conf.FlagConversionOff[{made}]\n    tyro.cli(Any)\n")
    assert set(found) == {("a",), ("b",)} and found["a",].options[0].default == "0.5"


def test_an_app_of_functions(repository: Make) -> None:
    end = """
    app = tyro.extras.SubcommandApp()

    @app.command
    def check_out(branch: str) -> None: ...

    @app.command(name="undo")
    def reset(hard: bool = False) -> None: ...

    app.cli()
    """
    found = signatures(repository, end)
    assert {name: flags(s) for name, s in found.items()} == {("check-out",): ["--branch"], ("undo",): ["--hard"]}


def test_commands_are_checked(repository: Make) -> None:
    root = repository({"main.py": CLASSES + "    tyro.cli(Train)\n"}).sources.root
    index = RepoIndex.open(root, "v")

    def check(words: str) -> list[str]:
        return [f.code for f in check_command(f"python main.py {words}", index)]

    assert check("--max-steps 3 optimizer:sgd --optimizer.momentum 0.5") == []
    assert check("optimizer:sgd --optimizer.lr 0.5") == ["unknown-option"]
    assert check("--max-step-count 3") == ["unknown-option"]
