"""The index reads each part once, keeps it on disk, and makes again only what a change concerns."""

import contextlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from ml_agent.tools import index as index_module
from ml_agent.tools import index_cache, index_worker
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.index import RepoIndex, make_part
from ml_agent.tools.index_cache import PartCache, fingerprint
from ml_agent.tools.python_api.model import UNKNOWN
from ml_agent.tools.reading import IndexWalk, LeftOut, Progress

PARTS = ("api", "passages", "examples", "signatures")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "net"
    folder.mkdir()
    (folder / "README.md").write_text("# Net\nTrain:\n```\npython train.py --lr 1\n```\n")
    (folder / "train.py").write_text(
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--lr', type=float)\n"
        "def main(a): ...\nif __name__ == '__main__':\n    args = parser.parse_args()\n"
    )
    return folder


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The parts that are really read from the repository, in order."""
    names: list[str] = []

    def record(index: RepoIndex, name: str, reading: IndexWalk) -> object:
        names.append(name)
        return make_part(index, name, reading)

    monkeypatch.setattr(index_module, "make_part", record)
    yield names


def test_all_parts_tell_of_the_repository(root: Path, tmp_path: Path) -> None:
    index = RepoIndex.open(root, "v1", tmp_path / "cache")
    assert index.files == ("README.md", "train.py")
    assert [passage.headings for passage in index.passages] == [("Net",)]
    assert [(example.text, example.entry) for example in index.examples] == [("python train.py --lr 1", "train.py")]
    assert [option.flags for option in index.signatures["train.py"][0].options if option.flags[0] == "--lr"] == [
        ("--lr",)
    ]
    assert index.api.resolve("train.main") is not None


def test_only_what_is_asked_for_is_read(root: Path, made: list[str], tmp_path: Path) -> None:
    index = RepoIndex.open(root, "v1", tmp_path / "cache")
    assert index.passages
    assert made == ["passages"]
    assert index.passages
    assert made == ["passages"]


def test_a_second_index_reads_from_disk(root: Path, made: list[str], tmp_path: Path) -> None:
    first = RepoIndex.open(root, "v1", tmp_path / "cache")
    first.prepare()
    made.clear()
    second = RepoIndex.open(root, "v1", tmp_path / "cache")
    assert (second.passages, second.examples, second.signatures, second.api.facts) == (
        first.passages, first.examples, first.signatures, first.api.facts,
    )  # fmt: skip
    assert made == []
    assert RepoIndex.open(root, "v2", tmp_path / "cache").passages
    assert made == ["passages"]


def test_without_a_cache_nothing_is_written(root: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    assert RepoIndex.open(root, "v1").examples
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("damage", [b"", b"\xff\xff", b"\x93\x01", b"not msgpack at all"])
def test_a_damaged_file_is_made_again(root: Path, made: list[str], tmp_path: Path, damage: bytes) -> None:
    cache = tmp_path / "cache"
    expected = RepoIndex.open(root, "v1", cache).passages
    (file,) = cache.rglob("passages-*.msgpack")
    file.write_bytes(damage)
    assert RepoIndex.open(root, "v1", cache).passages == expected
    assert made == ["passages", "passages"]
    assert msgspec.msgpack.decode(file.read_bytes(), type=tuple[tuple[Passage, ...], tuple[LeftOut, ...], bool]) == (
        expected,
        (),
        False,
    )


def test_a_full_disk_costs_only_the_cache(root: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("a file where a folder should be")
    assert RepoIndex.open(root, "v1", blocked).passages


def test_versions_of_any_kind_have_a_place_of_their_own(tmp_path: Path) -> None:
    versions = ["a" * 40, "a" * 40 + "+dirty", "../../etc", "", ".", "x\0y", "\udcff", "a" * 500]
    places = {PartCache(tmp_path, version).path("api", "ml_agent.tools.retrieval").parent for version in versions}
    assert len(places) == len(versions)
    assert all(place.parent == tmp_path for place in places)


def test_what_an_older_extractor_left_is_dropped(tmp_path: Path) -> None:
    cache = PartCache(tmp_path, "v1")
    new = cache.path("api", "ml_agent.tools.retrieval")
    new.parent.mkdir(parents=True)
    stale, other = new.with_name("api-0000.msgpack"), new.with_name("passages-0000.msgpack")
    stale.touch()
    other.touch()
    cache.store(new, (1, 2))
    assert sorted(file.name for file in new.parent.iterdir()) == sorted([new.name, other.name])
    assert cache.load(new, tuple[int, int]) == (1, 2)
    assert cache.load(new, tuple[str, str]) is None


def test_a_fingerprint_knows_the_modules_behind_an_extractor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A change anywhere in what an extractor imports changes its fingerprint, and only its."""
    room = tmp_path / "tools"
    (room / "a").mkdir(parents=True)
    (room / "a" / "__init__.py").write_text("")
    (room / "a" / "one.py").write_text(
        "from ml_agent.tools.a import (\n    two,\n)\nfrom ml_agent.tools.b import name\n"
    )
    (room / "a" / "two.py").write_text("def late():\n    import ml_agent.tools.c\n")
    (room / "b.py").write_text("name = 1\n")
    (room / "c.py").write_text("")
    (room / "d.py").write_text("")
    monkeypatch.setattr("ml_agent.tools.index_cache._ROOM", room)

    def of(module: str) -> str:
        index_cache._source.cache_clear()
        return fingerprint.__wrapped__(module)

    before = (of("ml_agent.tools.a.one"), of("ml_agent.tools.d"))
    for changed in ("a/two.py", "b.py", "c.py"):
        (room / changed).write_text((room / changed).read_text() + "# changed\n")
        after = (of("ml_agent.tools.a.one"), of("ml_agent.tools.d"))
        assert after[0] != before[0]
        assert after[1] == before[1]
        before = after


def test_fingerprints_of_the_extractors_differ() -> None:
    assert len({fingerprint(part.extractor) for part in index_module._PARTS.values()}) == len(PARTS)


def test_a_large_repository_is_read_in_two_processes(root: Path, tmp_path: Path, made: list[str]) -> None:
    for number in range(index_module._MANY_PYTHON_FILES):
        (root / f"module_{number}.py").write_text("")
    index = RepoIndex.open(root, "v1", tmp_path / "cache")
    assert index.signatures["train.py"]
    assert index.examples
    assert "signatures" not in made
    assert set(made) == {"api", "passages", "examples"}


def test_a_lost_worker_costs_only_time(
    root: Path, tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(index_module._MANY_PYTHON_FILES):
        (root / f"module_{number}.py").write_text("")
    monkeypatch.setattr(index_worker, "_WORKER", "raise SystemExit(1)")
    assert RepoIndex.open(root, "v1", tmp_path / "cache").signatures["train.py"]
    assert "signatures" in made


def test_installed_packages_are_not_of_the_repository(root: Path) -> None:
    (root / ".venv/lib").mkdir(parents=True)
    (root / ".venv/pyvenv.cfg").touch()
    (root / ".venv/lib/README.md").write_text("# other")
    (root / "web/node_modules/x").mkdir(parents=True)
    (root / "web/node_modules/x/README.md").write_text("# other")
    assert RepoIndex.open(root, "v1").files == ("README.md", "train.py")


def test_a_loaded_index_needs_no_extractor(root: Path, tmp_path: Path) -> None:
    """What is on disk is loaded without the parsers: this is what makes a warm start fast."""
    cache = tmp_path / "cache"
    RepoIndex.open(root, "v1", cache).prepare()
    program = (
        "import sys; from pathlib import Path; from ml_agent.tools.index import RepoIndex\n"
        f"index = RepoIndex.open(Path({str(root)!r}), 'v1', Path({str(cache)!r}))\n"
        "assert index.passages and index.examples and index.signatures and index.api.facts.modules\n"
        "assert not {'markdown_it', 'pyflakes', 'ml_agent.tools.signatures.interpreter'} & set(sys.modules)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(index_module.__file__).parents[2])}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, cwd=tmp_path)


def kept_files(cache: Path) -> int:
    """How many results of single files the cache holds."""
    with contextlib.closing(sqlite3.connect(cache / "files.sqlite")) as connection:
        return int(connection.execute("SELECT count(*) FROM made").fetchone()[0])


def test_another_commit_costs_what_changed(root: Path, tmp_path: Path) -> None:
    (root / "options.py").write_text("def add(p): p.add_argument('--old')\n")
    (root / "other.py").write_text("print('nothing')\n")
    text = "import argparse, options\np = argparse.ArgumentParser()\noptions.add(p)\np.parse_args()\n"
    (root / "train.py").write_text(text)
    cache = tmp_path / "cache"
    RepoIndex.open(root, "v1", cache).prepare()
    before = kept_files(cache)
    RepoIndex.open(root, "v2", cache).prepare()
    assert kept_files(cache) == before
    (root / "options.py").write_text("def add(p): p.add_argument('--new')\n")
    index = RepoIndex.open(root, "v3", cache)
    index.prepare()
    assert [option.dest for option in index.signatures["train.py"][0].options] == ["new"]
    assert kept_files(cache) == before + 2  # the names of options.py, and the signature of train.py that imports it


def test_examples_of_another_commit_cost_what_changed(root: Path, tmp_path: Path) -> None:
    (root / "docs").mkdir()
    for number in range(20):
        (root / f"docs/page{number}.md").write_text(f"# Page {number}\n```\npython train.py --lr {number}\n```\n")
    (root / "run.sh").write_text("python train.py\n")
    cache = tmp_path / "cache"

    def read_anew(version: str) -> int:
        before = kept_files(cache) if cache.exists() else 0
        assert len(RepoIndex.open(root, version, cache).examples) == 22
        return kept_files(cache) - before

    assert read_anew("v1") == 21 + 22 + 1  # passages, examples, Python
    (root / "docs/page3.md").write_text("# Page 3\n```\npython train.py --epochs 3\n```\n")
    assert read_anew("v2") == 2
    (root / "other.py").write_text("")  # of which no document speaks
    assert read_anew("v3") == 1
    (root / "run.sh").unlink()
    (root / "go.sh").write_text("python train.py\n")
    assert read_anew("v4") == 1
    (root / "train.py").rename(root / "docs/train.py")  # all of them mean another file now
    assert read_anew("v5") == 22 + 1


def test_files_that_appear_are_seen_by_scripts_that_import_them(root: Path, tmp_path: Path) -> None:
    text = "import argparse, more\np = argparse.ArgumentParser()\nmore.add(p)\np.parse_args()\n"
    (root / "train.py").write_text(text)
    cache = tmp_path / "cache"
    (shown,) = RepoIndex.open(root, "v1", cache).signatures["train.py"][0].options
    assert shown.path == "README.md"
    (root / "more.py").write_text("def add(p): p.add_argument('--new')\n")
    assert RepoIndex.open(root, "v2", cache).signatures["train.py"][0].options


def test_what_takes_too_long_is_left_out_and_said(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = {name: part._replace(seconds=-1) for name, part in index_module._PARTS.items()}
    monkeypatch.setattr(index_module, "_PARTS", short)
    for _ in ("made", "loaded"):
        index = RepoIndex.open(root, "v1", tmp_path / "cache")
        index.prepare()
        assert not index.signatures and not index.passages
        assert index.api.resolve("train.main") is UNKNOWN
        assert {(left.part, left.paths) for left in index.left_out} >= {
            ("api", ("train.py",)), ("passages", ("README.md",)), ("signatures", ("README.md", "train.py")),
        }  # fmt: skip


def give_seconds(monkeypatch: pytest.MonkeyPatch, part: str, seconds: float) -> None:
    monkeypatch.setattr(
        index_module, "_PARTS", {**index_module._PARTS, part: index_module._PARTS[part]._replace(seconds=seconds)}
    )


@pytest.mark.parametrize("modules", [0, index_module._MANY_PYTHON_FILES])
def test_what_was_cut_is_gone_on_with(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: list[str], modules: int
) -> None:
    for number in range(modules):
        (root / f"module_{number}.py").write_text("")
    cache, whole = tmp_path / "cache", index_module._PARTS["passages"].seconds
    give_seconds(monkeypatch, "passages", -1)
    index = RepoIndex.open(root, "v1", cache)
    assert not index.examples and index.signatures
    give_seconds(monkeypatch, "passages", whole)
    index = RepoIndex.open(root, "v1", cache)
    assert index.examples, "what is made of a cut part is made again, too"
    assert index.passages and not index.left_out
    made.clear()
    assert RepoIndex.open(root, "v1", cache).examples and made == []


def test_what_gets_no_further_is_left(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: list[str]
) -> None:
    give_seconds(monkeypatch, "signatures", -1)
    for _ in range(4):
        assert not RepoIndex.open(root, "v1", tmp_path / "cache").signatures
    assert made == ["signatures"] * 2
    assert list(RepoIndex.open(root, "v1", tmp_path / "cache", first="./train.py").signatures) == ["train.py"]
    assert made == ["signatures"] * 3, "a file that is named is read all the same"


def test_a_second_process_is_told_what_goes_first(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: list[str]
) -> None:
    """Its time is over after the first file: only that is known."""
    for number in range(index_module._MANY_PYTHON_FILES):
        (root / f"module_{number}.py").write_text("")
    (root / "z").mkdir()
    (root / "z/last.py").write_text("import argparse\np = argparse.ArgumentParser()\np.parse_args()\n")
    cut = (
        "import sys; sys.path.insert(0, sys.argv[1]); from ml_agent.tools import reading\n"
        "reading.IndexWalk.each = lambda self, paths: iter(tuple(paths)[:1])\n"
        "from ml_agent.tools.index_work import work; work(*sys.argv[2:])"
    )
    monkeypatch.setattr(index_worker, "_WORKER", cut)
    assert list(RepoIndex.open(root, "v1", tmp_path / "cache", first="z").signatures) == ["z/last.py"]
    assert "signatures" not in made


def test_progress_is_told(root: Path, tmp_path: Path) -> None:
    told: list[Progress] = []
    for number in range(index_module._MANY_PYTHON_FILES):
        (root / f"module_{number}.py").write_text("")
    RepoIndex.open(root, "v1", tmp_path / "cache", told.append).prepare()
    assert {progress.part for progress in told} >= {"api", "signatures"}
    assert all(0 <= progress.done <= progress.total for progress in told)
    assert any(progress.path.endswith(".py") for progress in told)


def test_a_broken_cache_of_files_costs_only_time(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "files.sqlite").write_bytes(b"no database at all" * 100)
    assert RepoIndex.open(root, "v1", cache).signatures["train.py"]
