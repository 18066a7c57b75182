"""How many processes a launcher starts."""

import pytest

from ml_agent.matching.launch import is_launchers, launched, launcher_of, started
from tools.signatures.model import Option, Signature


def test_what_starts_several_processes_is_told_by_examples_or_options() -> None:
    plain = Signature(path="train.py")
    assert launcher_of(plain, ["python train.py --lr 1"]) == ""
    assert launcher_of(plain, ["torchrun --nproc_per_node=4 train.py"]) == "torchrun"
    assert launcher_of(plain, ["mpiexec -n 8 python train.py"]) == "mpiexec"
    ranked = Signature(path="train.py", options=(Option(dest="local_rank", flags=("--local_rank",)),))
    assert launcher_of(ranked, []) == "torchrun"


@pytest.mark.parametrize(
    ("text", "launcher", "count", "expected"),
    [
        ("python train.py --lr 1", "torchrun", "4", "torchrun --nproc_per_node=4 train.py --lr 1"),
        ("python -m pkg.train", "torchrun", "2", "torchrun --nproc_per_node=2 -m pkg.train"),
        ("python train.py", "mpiexec", "8", "mpiexec -n 8 python train.py"),
        ("python train.py", "", "8", "python train.py"),
        ("train --lr 1", "torchrun", "4", "train --lr 1"),
    ],
)
def test_a_command_started_by_a_launcher(text: str, launcher: str, count: str, expected: str) -> None:
    assert launched(text, launcher, count) == expected


def test_how_many_a_command_starts() -> None:
    assert started("python -m torch.distributed.launch --nproc_per_node=8 main.py") == "8"
    assert started("mpirun -np 4 python a.py") == "4"
    assert started("python a.py") == ""


def test_only_a_launcher_sets_the_rank_of_a_process() -> None:
    assert is_launchers(Option(dest="local_rank", flags=("--local_rank",)))
    assert not is_launchers(Option(dest="rank", flags=("--rank",), help="rank of the adapters"))
