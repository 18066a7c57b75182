"""The index reads what is asked for, within one budget, keeps it on disk, and goes on with what was left out."""

import contextlib
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import MOST_DOCUMENTS, RepoIndex
from ml_agent.tools.python_api.model import UNKNOWN
from ml_agent.tools.reading import IndexWalk
from ml_agent.tools.signatures.interpreter import Interpreter


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "net"
    folder.mkdir()
    (folder / "README.md").write_text("# Net\nTrain:\n```\npython train.py --lr 1\n```\n")
    (folder / "train.py").write_text(
        '"""Trains it."""\nimport argparse\nparser = argparse.ArgumentParser()\n'
        "parser.add_argument('--lr', type=float)\n"
        "def main(a): ...\nif __name__ == '__main__':\n    args = parser.parse_args()\n"
    )
    return folder


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are really read for a part, in order."""
    seen: list[str] = []
    each = IndexWalk.each

    def record(walk: IndexWalk, paths: list[str]) -> object:
        for path in each(walk, paths):
            seen.append(f"{walk.part} {path}")
            yield path

    monkeypatch.setattr(IndexWalk, "each", record)
    return seen


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)


def look_at_all(index: RepoIndex) -> None:
    assert index.files
    _ = (index.entries, index.passages, index.examples, index.outlines)


def test_all_parts_tell_of_the_repository(root: Path, tmp_path: Path) -> None:
    index = RepoIndex.open(root, "v1", tmp_path / "cache")
    assert index.files == ("README.md", "train.py")
    assert [(one.path, one.framework, one.doc, one.words) for one in index.entries] == [
        ("train.py", "argparse", "Trains it.", ("lr",))
    ]
    assert [passage.headings for passage in index.passages] == [("Net",)]
    assert [(example.text, example.entry) for example in index.examples] == [("python train.py --lr 1", "train.py")]
    assert [option.flags for option in index.signatures["train.py"][0].options] == [("--lr",)]
    assert index.api.resolve("train.main") is not None
    assert [(one.name, one.kind) for one in index.api.objects] == [("train.main", "function")]


def test_only_what_is_asked_for_is_read(root: Path, read: list[str], tmp_path: Path) -> None:
    index = RepoIndex.open(root, "v1", tmp_path / "cache")
    assert index.entries and index.entries
    assert read == ["entries train.py"]
    assert "ml_agent.tools.signatures.read" in sys.modules or index.signatures["train.py"]


def test_a_second_index_reads_from_disk(root: Path, read: list[str], tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    look_at_all(RepoIndex.open(root, "v1", cache))
    signatures = RepoIndex.open(root, "v1", cache).signatures["train.py"]
    read.clear()
    again = RepoIndex.open(root, "v1", cache)
    look_at_all(again)
    assert again.signatures["train.py"] == signatures
    assert read == []
    assert RepoIndex.open(root, "v2", cache).passages
    assert read == ["passages README.md"]


def test_what_the_check_reads_of_a_script_is_kept(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    for _ in range(2):
        (found,) = check_command("python train.py --lrr 1", RepoIndex.open(root, "v1", cache))
        assert (found.code, found.suggestion) == ("unknown-option", "--lr")
        monkeypatch.setattr(Interpreter, "run_script", None)
    with pytest.raises(TypeError):
        check_command("python train.py --lrr 1", RepoIndex.open(root, "v2", cache))


def test_a_folder_never_answers_for_another(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert RepoIndex.open(root, "v1", tmp_path / "cache").entries
    assert RepoIndex.open(other, "v1", tmp_path / "cache").entries == ()


@pytest.mark.parametrize("damage", ["blocked", "no database", "other values"])
def test_a_cache_that_cannot_be_used_costs_only_time(root: Path, tmp_path: Path, damage: str) -> None:
    cache = tmp_path / "cache"
    if damage == "blocked":
        cache.write_text("a file where a folder should be")
    else:
        look_at_all(RepoIndex.open(root, "v1", cache))
        if damage == "no database":
            (cache / "index.sqlite").write_bytes(b"no database at all" * 100)
            for name in ("index.sqlite-wal", "index.sqlite-shm"):
                (cache / name).unlink(missing_ok=True)
        else:
            with contextlib.closing(sqlite3.connect(cache / "index.sqlite")) as connection:
                connection.execute("UPDATE made SET value = x'93ff01'")
                connection.commit()
    index = RepoIndex.open(root, "v1", cache)
    look_at_all(index)
    assert index.signatures["train.py"][0].options and index.passages


def test_what_takes_too_long_is_left_out_and_said(root: Path, tmp_path: Path) -> None:
    for _ in ("made", "loaded"):
        index = RepoIndex(root, "v1", tmp_path / "cache", seconds=-1)
        look_at_all(index)
        assert not index.entries and not index.passages and not index.signatures
        assert {(left.part, left.paths) for left in index.left_out} == {
            ("entries", ("train.py",)), ("passages", ("README.md",)), ("outlines", ("train.py",)),
        }  # fmt: skip
        assert index.api.resolve("train.main") not in (None, UNKNOWN), "what is asked for by name is read"
    assert "train.py: not read for entries" in " ".join(left.said for left in index.left_out)


def test_what_was_left_out_is_gone_on_with(root: Path, tmp_path: Path, read: list[str]) -> None:
    cache = tmp_path / "cache"
    look_at_all(RepoIndex(root, "v1", cache, seconds=-1))
    assert read == []
    index = RepoIndex(root, "v1", cache)
    look_at_all(index)
    assert index.examples and index.passages and index.entries and index.signatures["train.py"]
    assert not index.left_out
    assert sorted(read) == [
        "blocks README.md", "commands README.md", "entries train.py", "outlines train.py", "passages README.md",
    ]  # fmt: skip
    read.clear()
    later = RepoIndex.open(root, "v1", cache)
    look_at_all(later)
    assert later.entries and not later.left_out and read == []


def test_while_a_model_writes_the_rest_is_read(root: Path, tmp_path: Path, read: list[str]) -> None:
    cache = tmp_path / "cache"
    index = RepoIndex(root, "v1", cache, seconds=-1)
    look_at_all(index)
    assert read == [] and index.left_out
    with index.reading_on():
        wait_until(lambda: not index.left_out)
    assert index.entries and index.passages and index.examples and index.outlines and index.signatures["train.py"]
    assert not index.left_out and len(read) == len(set(read))
    read.clear()
    look_at_all(RepoIndex(root, "v1", cache))
    assert read == [], "it is kept"


def test_reading_on_ends_with_the_wait(root: Path, tmp_path: Path, read: list[str]) -> None:
    for number in range(400):
        (root / f"part_{number}.py").write_text("def step(first: int, second: str) -> None: ...\n" * 200)
    index = RepoIndex(root, "v1", tmp_path / "cache", seconds=-1)
    look_at_all(index)
    with index.reading_on():
        wait_until(lambda: bool(read))
    known = len(read)
    time.sleep(0.2)
    assert 0 < known == len(read) and index.left_out
    look_at_all(RepoIndex(root, "v1", tmp_path / "cache"))
    assert len(read) == len(set(read)), "nothing is read twice"


def test_of_thousands_of_documents_those_near_the_root_are_read_and_that_is_told(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Tool\n\nRun `python run.py`.\n")
    deep = tmp_path / "docs" / "reference"
    deep.mkdir(parents=True)
    for number in range(MOST_DOCUMENTS):
        (deep / f"command-{number:04}.md").write_text("A page.\n")
    index = RepoIndex.open(tmp_path, "1")
    paths = {passage.path for passage in index.passages}
    assert len(paths) == MOST_DOCUMENTS
    assert "README.md" in paths
    assert [one.reason for one in index.left_out] == [f"at most {MOST_DOCUMENTS} documents are read"]
