"""A walk over files: what is asked for comes first, and no file takes more than its time."""

import time
from pathlib import Path

import pytest

from ml_agent.tools.index import RepoIndex
from ml_agent.tools.reading import IndexWalk
from tests.processor_time import is_within


def test_a_file_that_had_its_time_is_known_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ml_agent.tools.reading.FILE_SECONDS", 0.05)
    walk = IndexWalk("api")
    for path in walk.each(["a.py", "b.py"]):
        while path == "a.py" and not walk.over():
            pass
    assert walk.cut == ["a.py"]


BIG = {
    "run.sh": "".join(f"V{n}=$V{n - 1}\npython train.py --lr $V{n}\n" for n in range(8_000)),
    "README.md": "# A\n" + "".join(f"Text with `code` {n}\n\n```\npython train.py {n}\n```\n" for n in range(9_000)),
    "big.py": "".join(
        f"class C{n}(B):\n    x: int = {n}\n    def f(self, a=1):\n        self.y = a\n\n" for n in range(9_000)
    ),
}


@pytest.mark.parametrize("path", sorted(BIG))
def test_one_file_takes_its_seconds_of_a_part(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ml_agent.tools.reading.FILE_SECONDS", 0.2)
    monkeypatch.setattr("ml_agent.tools.python_api.read.FILE_SECONDS", 0.2)
    (tmp_path / path).write_text(BIG[path])
    (tmp_path / "train.py").write_text("print(1)\n")
    index = RepoIndex(tmp_path, "1")
    for part in ("entries", "passages", "commands", "examples", "outlines"):
        before = time.thread_time()
        getattr(index, part)
        assert is_within(time.thread_time() - before, 1.5), part  # those, and what is read in one piece
    before = time.thread_time()
    index.api.resolve("big.C8999")
    assert is_within(time.thread_time() - before, 2.5)
    assert {left.paths for left in index.left_out} <= {(path,)}
    assert index.left_out or path == "big.py"


def test_what_is_named_is_read_first_then_what_lies_near_the_root() -> None:
    walk, read = IndexWalk("x", first="b/c"), list[str]()

    def make(path: str) -> int:
        read.append(path)
        return len(path)

    found = walk.results(["a/b/d", "b/c/d", "b/cc", "e"], make)
    assert list(found.items()) == [("a/b/d", 5), ("b/c/d", 5), ("b/cc", 4), ("e", 1)]
    assert read == ["b/c/d", "e", "b/cc", "a/b/d"]
    assert IndexWalk("x", first="e").ordered(["a", "e"]) == ["e", "a"]
