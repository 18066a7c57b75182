"""tyro: fields are options; classes that a word chooses between are said to be there, and not read."""

from collections.abc import Callable, Mapping

Check = Callable[[str], list[str]]
Make = Callable[[Mapping[str, str]], Check]

PROGRAM = """
    import dataclasses
    from typing import Union
    import tyro

    @dataclasses.dataclass
    class Adam:
        lr: float = 1e-3

    @dataclasses.dataclass
    class SGD:
        momentum: float = 0.9

    @dataclasses.dataclass
    class Train:
        optimizer: Union[Adam, SGD] = dataclasses.field(default_factory=Adam)
        max_steps: int = 100
        amp: bool = False

    tyro.cli({target})
"""


def test_a_union_of_classes_is_open(checked: Make) -> None:
    says = checked({"main.py": PROGRAM.format(target="Train")})
    assert says("python main.py --max-steps 3 --no-amp") == []
    assert says("python main.py --max-steps x") == ["error bad-type"]
    assert says("python main.py optimizer:sgd --optimizer.momentum 0.5") == ["unsure cannot-tell"]


def test_a_class_is_whole(checked: Make) -> None:
    says = checked({"main.py": PROGRAM.format(target="SGD")})
    assert says("python main.py --momentum 0.5") == []
    assert says("python main.py --momenta 0.5") == ["error unknown-option"]
