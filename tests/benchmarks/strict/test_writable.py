"""Answers that redirect into a file of their own run, and the repository stays as it is."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.strict.execute import Job, run
from ml_agent.benchmarks.strict.libraries import of_repository
from ml_agent.benchmarks.strict.walls import bubblewrap
from ml_agent.benchmarks.strict.writable import MOST_ENTRIES, mounts, written_folders

TRAIN = "python examples/train.py --dataset cora"
pytestmark = pytest.mark.skipif(bubblewrap() is None, reason="bubblewrap does not work here")


def picture(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "text",
    [
        f"{TRAIN} > train.log",
        f"{TRAIN} &> train.log",
        f"{TRAIN} > examples/train.log 2>&1 &",
        f"mkdir -p logs && {TRAIN} > logs/train.log 2>&1",
        "cd examples && python train.py --dataset cora >> train.log",
        f"mkdir -p logs/today\nfor name in cora; do {TRAIN} > logs/today/$name.log; done",
        f"{{ {TRAIN}; }} > train.log 2>&1",
        "(cd examples && python train.py --dataset cora) > examples/train.log",
        f"for name in cora; do {TRAIN}; done >> train.log",
        "chmod +x examples/run.sh && examples/run.sh cora",
        "cd examples; chmod -R u+x,g-w .; cd ..; ./examples/run.sh cora",
        "chmod 755 examples/*.sh && ./examples/run.sh cora",
        f"cat > options.sh <<END\nLR=0.2\nEND\n. ./options.sh && {TRAIN} --lr $LR",
    ],
)
def test_new_files_of_the_shell_hinder_nothing(text: str, repository: Path) -> None:
    before = picture(repository)
    done = run(Job(root=repository, path=".", text=text, kind="bash"), of_repository(repository))
    assert done.ok and done.programs, done
    assert picture(repository) == before


def test_what_is_there_is_only_to_read(repository: Path) -> None:
    before = picture(repository)
    for text in (
        f"{TRAIN} > setup.py",
        f"{TRAIN} > examples/train.py",
        f"{{ {TRAIN}; }} > examples/train.py",
        "examples/run.sh cora",
        "chmod 644 examples/run.sh; examples/run.sh cora",
        "chmod +x /*/*/nothing ../*; examples/run.sh cora",
        f"echo > new; rm -rf mylib; {TRAIN} > setup.py",
    ):
        assert not run(Job(root=repository, path=".", text=text, kind="bash"), of_repository(repository)).ok
    made = run(
        Job(root=repository, path=".", text="mkdir w && cd w && python examples/plain.py", kind="bash"),
        of_repository(repository),
    )
    assert made.code == "no-such-file", "a folder that an answer makes is there"
    assert picture(repository) == before and not (repository / "w").exists()


def test_only_folders_that_are_written_are_opened(repository: Path, tmp_path: Path) -> None:
    folders = {
        TRAIN: set(), f"{TRAIN} > /tmp/x 2>&1": set(), f"{TRAIN} > ../x": set(), f"{TRAIN} > x": {repository},
        "cd examples && python train.py > x": {repository / "examples"},
    }  # fmt: skip
    for text, expected in folders.items():
        assert written_folders(text, repository, repository) == expected, text
    for number in range(MOST_ENTRIES + 1):
        (tmp_path / str(number)).touch()
    assert mounts(tmp_path, [tmp_path]) == mounts(tmp_path, []) == ["--ro-bind", str(tmp_path), str(tmp_path)]
