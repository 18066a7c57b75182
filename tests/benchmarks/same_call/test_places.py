"""The same file from another folder, the same program by another name, and what comes before it."""

import pytest

from tests.benchmarks.same_call.conftest import Judge

TRAIN = "python train.py --data data/cora -b 16"


@pytest.mark.parametrize(
    "answer",
    [
        "python train.py --data $PWD/data/cora -b 16",
        'python train.py --data "$(pwd)/data/cora" -b 16',
        "cd data && python ../train.py --data cora -b 16",
        "cd data && python ../train.py --data ../data/cora -b 16",
        'words=(--data data/cora)\nwords+=(-b 16)\npython train.py "${words[@]}"',
        "python3 -m venv .venv && . .venv/bin/activate && pip install -e . && python train.py --data data/cora -b 16",
        'cd "$(dirname "$0")"\npython train.py --data data/cora -b 16',
        'cd "$(dirname "${BASH_SOURCE[0]}")/data" && python ../train.py --data cora -b 16',
        "virtualenv env; source env/bin/activate; python train.py --data data/cora -b 16",
    ],
)
def test_the_same_call_from_elsewhere(judge: Judge, answer: str) -> None:
    assert judge(TRAIN, answer).passed


@pytest.mark.parametrize(
    "answer",
    [
        "python train.py --data $PWD/data/core -b 16",
        "cd data && python ../train.py --data core -b 16",
        "cd data && python ../train.py --data data/cora -b 16",
        "cd data; python -m kit --data data/cora -b 16",
        'words=(--data data/cora)\npython train.py "${words[@]}"',
    ],
)
def test_another_call_from_elsewhere(judge: Judge, answer: str) -> None:
    assert not judge(TRAIN, answer).passed


@pytest.mark.parametrize(
    ("reference", "answer", "same"),
    [
        ("kit-train --data x -b 2", "python -m kit.train --data x -b 2", True),
        ("kit-train --data x -b 2", "python -m kit --data x -b 2", True),
        ("python -m kit -b 2 --data x", "kit-train --data x -b 2", True),
        ("tidy --data x", "python bin/tidy --data=x", True),
        ("kit-train --data x -b 2", "kit-train --data x", False),
        ("kit-train --data x -b 2", "kit-train --data x -b 2 --no-such 1", False),
        ("kit-train --data x", "python kit/evaluate.py --data x", False),
        ("python train.py --data out/x.pt", "cd kit && python ../train.py --data ../out/x.pt", True),
        ("cd kit && python ../train.py --data out/x.pt", "python train.py --data kit/out/x.pt", True),
        ("python train.py --data owner/cora", "cd kit && python ../train.py --data owner/cora", True),
        ("python train.py --data /data/x.pt", "cd kit && python ../train.py --data /data/x.pt", True),
        ("python train.py --data https://a.org/x.pt", "cd kit && python ../train.py --data https://a.org/x.pt", True),
        ("python train.py --data name", "cd kit && python ../train.py --data name", True),
        ("python train.py --data kit/cli.py", "mkdir kit; cd kit && python ../train.py --data kit/cli.py", False),
    ],
)
def test_other_names_and_folders(judge: Judge, reference: str, answer: str, same: bool) -> None:
    assert judge(reference, answer).passed is same


@pytest.mark.parametrize(
    ("answer", "same"),
    [
        ("looking.py --n 3 users.smi", True),
        ("looking.py others.smi --n 3", False),
        ("looking.py users.smi --n x", False),
    ],
)
def test_a_parser_may_look_for_a_file_of_its_user(judge: Judge, answer: str, same: bool) -> None:
    assert judge("python looking.py users.smi --n 3", f"python {answer}").passed is same
