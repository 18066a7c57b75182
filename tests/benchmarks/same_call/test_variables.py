"""Environment variables that a Python script reads are a part of the call."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.same_call import same_call


@pytest.mark.parametrize(
    ("reference", "answer", "reason"),
    [
        ("SEED=7 python measured.py m", "export SEED=07; python measured.py m", ""),
        ("SEED=7 python measured.py m", "SEED=8 python measured.py m", "other value"),
        ("SEED=7 python measured.py m", "SEED=7; python measured.py m", "missing"),
        ("python measured.py m", "SEED=7 python measured.py m", "unasked"),
        ("FOLDS=9 python measured.py m", "python measured.py m", "missing"),
        ("python measured.py m", "FOLDS=9 python measured.py m", "unasked"),
        ("python measured.py m", "FOLDS=5 python measured.py m", ""),
        ("FOLDS=5 python measured.py m", "python measured.py m", ""),
        ("python measured.py m", "CUDA_VISIBLE_DEVICES=1 OTHER=3 python measured.py m", ""),
        ("CUDA_VISIBLE_DEVICES=1 python measured.py m", "export CUDA_VISIBLE_DEVICES=1; python measured.py m", ""),
        ("CUDA_VISIBLE_DEVICES=1 python measured.py m", "CUDA_VISIBLE_DEVICES=2 python measured.py m", "other value"),
        ("CUDA_VISIBLE_DEVICES=1 python measured.py m", "CUDA_VISIBLE_DEVICES=1; python measured.py m", "missing"),
        ("CUDA_VISIBLE_DEVICES=1,2 python measured.py m", "CUDA_VISIBLE_DEVICES='1, 2' python measured.py m", ""),
        ("CUDA_VISIBLE_DEVICES= python measured.py m", "CUDA_VISIBLE_DEVICES=-1 python measured.py m", ""),
        ("CUDA_VISIBLE_DEVICES= python measured.py m", "CUDA_VISIBLE_DEVICES=0 python measured.py m", "other value"),
        (
            "CUDA_VISIBLE_DEVICES=0,1 python -m paddle.distributed.launch measured.py m",
            "python -m paddle.distributed.launch --gpus 0,1 measured.py m",
            "",
        ),
        (
            "CUDA_VISIBLE_DEVICES=0,1 python -m paddle.distributed.launch measured.py m",
            "python -m paddle.distributed.launch --gpus=0,2 measured.py m",
            "other value",
        ),
        (
            "CUDA_VISIBLE_DEVICES=0,1 python -m paddle.distributed.launch measured.py m",
            "python -m paddle.distributed.launch --log_dir 0,1 measured.py m",
            "missing",
        ),
        (
            "CUDA_VISIBLE_DEVICES=0,1 python -m paddle.distributed.launch measured.py m",
            "python -m paddle.distributed.launch measured.py m --gpus 0,1",
            "missing",
        ),
        (
            "python -m paddle.distributed.launch --devices 1 measured.py m",
            "python -m paddle.distributed.launch measured.py m",
            "missing",
        ),
        ("CUDA_VISIBLE_DEVICES=1 python measured.py m", "accelerate launch --gpu_ids 1 measured.py m", ""),
        ("CUDA_VISIBLE_DEVICES=1 python measured.py m", "accelerate launch --num_processes 1 measured.py m", "missing"),
        ("CUDA_VISIBLE_DEVICES=0,3 python measured.py m", "deepspeed --include localhost:0,3 measured.py m", ""),
        ("CUDA_VISIBLE_DEVICES=2 python measured.py m", "srun --gpus 2 python measured.py m", "missing"),
        ("RATE=7 python defaulted.py", "python defaulted.py --rate 7", ""),
        ("HOST_NAME=a python defaulted.py", "python defaulted.py --host a", ""),
        ("RATE=7 python defaulted.py", "RATE=8 python defaulted.py", "unasked"),
        ("RATE=7 python defaulted.py", "python defaulted.py", "unasked"),
    ],
)
def test_variables_that_are_read(kit: Path, reference: str, answer: str, reason: str) -> None:
    task = Task(
        github_id=1, id=1, github="https://github.com/some/kit", path="./", arguments={}, instruction="", oracle="",
        kind="bash", output=reference,
    )  # fmt: skip
    verdict = same_call(task, answer, kit)
    assert verdict.reason_class == reason, verdict
