"""A walk over files: told at least every second, and no file takes more than its time."""

import os
import subprocess
import sys
import time
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from ml_agent.tools import index as index_module
from ml_agent.tools import index_worker
from ml_agent.tools import reading as reading_module
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.reading import IndexWalk, Progress
from tests.processor_time import WAIT, is_within

HOME = Path(index_module.__file__).parents[2]


def test_what_takes_long_is_told_every_second(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reading_module._BEAT + reading_module._LOOKS < 1
    monkeypatch.setattr(reading_module, "_BEAT", 0.2)
    told: list[tuple[float, Progress]] = []
    reading = IndexWalk("api", report=lambda progress: told.append((time.monotonic(), progress)))
    with reading.telling():
        for path in reading.each(["a.py", "b.py", "c.py"]):
            time.sleep(1.2 if path == "b.py" else 0)
    assert max(later - earlier for (earlier, _), (later, _) in pairwise(told)) < 1.1
    assert any(progress.path == "b.py" and progress.seconds > 0.2 and progress.done == 1 for _, progress in told)
    assert told[-1][1][:3] == ("api", 3, 3)


def test_a_report_that_ends_the_reading_ends_it_also_between_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_module, "_BEAT", 0.1)
    told: list[Progress] = []

    def report(progress: Progress) -> None:
        told.append(progress)
        if progress.seconds:
            raise KeyboardInterrupt("cancelled")

    reading = IndexWalk("api", report=report)
    with pytest.raises(KeyboardInterrupt, match="cancelled"), reading.telling():
        for _ in reading.each(["a.py", "b.py"]):
            time.sleep(0.8)
    assert [progress.path for progress in told] == ["a.py", "a.py"]


def test_nothing_is_told_without_anybody_who_listens() -> None:
    with IndexWalk("api").telling():
        pass


def test_a_file_that_had_its_time_is_said_to_be_known_in_part() -> None:
    reading = IndexWalk("api", file_seconds=0.05)
    for path in reading.each(["a.py", "b.py"]):
        while path == "a.py" and not reading.over():
            pass
    assert [(left.paths, left.partly) for left in reading.left_out] == [(("a.py",), True)]
    assert reading.left_out[0].said == "a.py: only its beginning is read for api (reading it took longer than 0.05 s)"


BIG = {
    "run.sh": "".join(f"V{n}=$V{n - 1}\npython train.py --lr $V{n}\n" for n in range(8_000)),
    "README.md": "# A\n" + "".join(f"Text with `code` {n}\n\n```\npython train.py {n}\n```\n" for n in range(9_000)),
    "big.py": "".join(
        f"class C{n}(B):\n    x: int = {n}\n    def f(self, a=1):\n        self.y = a\n\n" for n in range(9_000)
    ),
}


@pytest.mark.parametrize("path", sorted(BIG))
def test_one_file_takes_its_seconds_of_a_part(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "IndexWalk", partial(IndexWalk, file_seconds=0.2))
    (tmp_path / path).write_text(BIG[path])
    (tmp_path / "train.py").write_text("print(1)\n")
    index = RepoIndex(tmp_path, "1")
    for part in ("api", "passages", "examples", "signatures"):
        before = time.thread_time()
        index.make([part])
        assert is_within(time.thread_time() - before, 1.5), part  # those, and what is read in one piece
    assert index.left_out and {left.paths for left in index.left_out} <= {(path,)}


def test_the_lines_of_the_second_process_come_as_they_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Progress] = []
    lines = "import time\nfor n in range(3):\n    print(f'[\"signatures\", {n}, 3]', flush=True)\n    time.sleep(0.4)\n"
    monkeypatch.setattr(index_worker, "_WORKER", lines)
    with index_worker.worker(tmp_path, "1", tmp_path, told.append):
        until = time.monotonic() + WAIT
        while not told:
            assert time.monotonic() < until, "nothing came while the body ran"
            time.sleep(0.05)
    assert [progress.done for progress in told] == [0, 1, 2]


def test_the_second_process_itself_ends_with_its_parent(tmp_path: Path) -> None:
    """`work` as it is started, over a repository that takes long; its parent is killed."""
    root = tmp_path / "net"
    root.mkdir()
    slow = "x = 0\nwhile True:\n    x += 1\n"
    for number in range(2_000):
        (root / f"m{number}.py").write_text(f"import argparse\np = argparse.ArgumentParser()\n{slow}p.parse_args()\n")
    start = "from ml_agent.tools.index_worker import _WORKER; from pathlib import Path; import subprocess, sys, time\n"
    parent = (
        f"import sys; sys.path.insert(0, {str(HOME)!r})\n{start}"
        f"said = open({str(tmp_path / 'said')!r}, 'w')\n"
        f"p = subprocess.Popen([sys.executable, '-I', '-c', _WORKER, {str(HOME)!r}, {str(root)!r}, '1', {str(tmp_path / 'cache')!r}], "
        "stdin=subprocess.PIPE, stdout=said)\n"
        "print(p.pid, flush=True)\ntime.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        while not (tmp_path / "said").exists() or not (tmp_path / "said").read_text():
            assert process.poll() is None
            time.sleep(0.05)
        os.kill(pid, 0)
        process.kill()
    deadline = time.monotonic() + WAIT
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
        assert time.monotonic() < deadline, "the worker outlives its parent"
        time.sleep(0.1)


def test_what_is_named_is_read_first() -> None:
    reading = IndexWalk("x")
    reading.first = "b/c"
    read: list[str] = []

    def make(path: str) -> int:
        read.append(path)
        return len(path)

    assert list(reading.results(["a", "b/c/d", "b/cc", "e"], make).items()) == [
        ("a", 1),
        ("b/c/d", 5),
        ("b/cc", 4),
        ("e", 1),
    ]
    assert read == ["b/c/d", "a", "b/cc", "e"]
    reading.first = "e"
    assert reading.ordered(["a", "e"]) == ["e", "a"]


def test_what_goes_first_is_not_left_out() -> None:
    reading = IndexWalk("x", seconds=0.05)
    reading.first = "z"

    def make(path: str) -> str:
        until = time.thread_time() + 0.06
        while time.thread_time() < until:
            pass
        return path

    assert reading.results(["a", "b", "z/c"], make) == {"z/c": "z/c"}
    assert reading.left_out[0].paths == ("a", "b")
