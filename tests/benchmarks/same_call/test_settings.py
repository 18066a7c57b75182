"""Programs whose words are read by hydra or fire, depend on variables, or only show a help."""

import pytest

from tests.benchmarks.same_call.conftest import Judge

HYDRA, READS = "python composing.py", "python measured.py m"
TRAIN, BOIL = "python train.py --data cora", "python -m kit.boil --steps 3"


@pytest.mark.parametrize(
    ("reference", "answer", "reason"),
    [
        ("python many.py fit --n 3", "python many.py f --n 3", ""),
        ("python many.py fit --n 3", "python many.py find --n 3", "wrong entry"),
        ("python burn.py a --epochs 4", "python burn.py --epochs=4 --data a", ""),
        (f"{HYDRA} model=big lr=0.2", f"{HYDRA} lr=2e-1 model=big", ""),
        (f"{HYDRA} model=big", f"{HYDRA} model=wide", "other value"),
        (f"{HYDRA} model=big", f"{HYDRA} lr=0.1", "missing"),
        (f"{HYDRA} lr=0.2", f"{HYDRA} lr=0.2 resume=a.pt", "unasked"),
        (f"{HYDRA} lr=0.2", f"{HYDRA} lr=0.2 --cfg job", "unasked"),
        (f"{HYDRA} lr=0.2", f"{HYDRA} lr=0.2 -m", "unasked"),
        (f"{HYDRA} --config-name other lr=0.2 +a=b", f"{HYDRA} --config-name other +a=b lr=0.2", ""),
        (f"{HYDRA} --config-name other lr=0.2", f"{HYDRA} --config-name config lr=0.2", "other value"),
        (f"{HYDRA} lr=0.2 ~resume", f"{HYDRA} lr=0.2", "missing"),
        (f"SEED=7 {READS}", f"export SEED=07; {READS}", ""),
        (f"SEED=7 {READS}", f"SEED=8 {READS}", "other value"),
        (f"SEED=7 {READS}", f"SEED=7; {READS}", "missing"),
        (READS, f"FOLDS=9 {READS}", "unasked"),
        (READS, f"CUDA_VISIBLE_DEVICES=1 OTHER=3 {READS}", ""),
        (f"CUDA_VISIBLE_DEVICES=1 {READS}", f"CUDA_VISIBLE_DEVICES=2 {READS}", "other value"),
    ],
)
def test_settings(judge: Judge, reference: str, answer: str, reason: str) -> None:
    verdict = judge(reference, answer)
    assert verdict.reason_class == reason, verdict


@pytest.mark.parametrize(
    ("reference", "answer", "passes"),
    [
        (TRAIN, f"{TRAIN} --help", False),
        (TRAIN, "python train.py -h", False),
        (BOIL, BOIL, True),
        (BOIL, f"{BOIL} --help", False),
        (BOIL, f"{BOIL} --version", False),
        ("python versioned.py --lr 1", "python versioned.py --lr 1 --version", False),
        ("python by_hand.py lr=1", "python by_hand.py lr=1 --help", False),
        ("python burn.py data", "python burn.py data -- --help", False),
        ("python train.py --help", "python train.py -h --data x", True),
        ("python versioned.py --version", "python versioned.py --version", True),
    ],
)
def test_an_answer_that_only_shows_something_is_not_the_call(
    judge: Judge, reference: str, answer: str, passes: bool
) -> None:
    assert judge(reference, answer).passed == passes
