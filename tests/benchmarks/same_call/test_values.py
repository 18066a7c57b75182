"""When two values are the same."""

import pytest

from ml_agent.benchmarks.same_call.values import same


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("uv run python train.py --cpu", "python train.py --cpu", True),
        ("python3 train.py --cpu", "python  train.py '--cpu'", True),
        ("python -m train --cpu", "poetry run python -m train --cpu", True),
        ("python train.py --no_cuda --out=a_b", "python train.py --no-cuda --out=a_b", True),
        ("python train.py --out=a_b", "python train.py --out=a-b", False),
        ("python train.py --cpu", "python train.py", False),
        ("python train.py --cpu", "python other.py --cpu", False),
        ("two words", "other words", False),
        ("python train.py 'open", "python train.py open", False),
    ],
)
def test_a_command_in_a_value(one: str, other: str, alike: bool) -> None:
    assert same(one, other) is alike


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (["GPUS", "4", "TRAIN.LR", "0.1"], ["TRAIN.LR", "0.10", "GPUS", "4"], True),
        (["GPUS", "4", "TRAIN.LR", "0.1"], ["TRAIN.LR", "4", "GPUS", "0.1"], False),
        (["a.b=4", "seed=1"], ["seed=1", "a.b=4"], True),
        (["seed=1", "seed=2"], ["seed=2", "seed=1"], False),  # the last one counts
        (["4", "3"], ["3", "4"], False),
        (["GPUS", "4"], ["GPUS", "4", "SEED", "1"], False),
    ],
)
def test_settings_say_the_same_in_any_order(one: list[str], other: list[str], alike: bool) -> None:
    assert same(one, other) is alike
