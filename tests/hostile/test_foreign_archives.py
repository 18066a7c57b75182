"""Recordings, mirrors, foreign runs and agents' records: none writes outside its folder, runs anything or fills the machine."""

import io
import os
import stat
import tarfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from ml_agent.finder import TapeSource
from ml_agent.replay.repositories import TapeRepositories
from ml_agent.replay.tape import ReplayError, Tape
from ml_agent.sandbox.unpack import MAX_BYTES, unpack_tar, unpack_zip
from ml_agent.tools.candidates import Wanted
from ml_agent.tools.catalog import Catalog
from ml_agent.tools.repository import Checkout, RepositoryCache

HELD_BY = "sandbox.unpack: names by InnerPath, files by HeldFolder, limits while it is read"
COMMIT = "a" * 40
Add = Callable[[tarfile.TarFile], None]


def add(name: str, content: bytes = b"x", **fields: object) -> Add:
    """Adds one member; `fields` are its header's."""

    def to(archive: tarfile.TarFile) -> None:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        for field, value in fields.items():
            setattr(member, field, value)
        archive.addfile(member, io.BytesIO(content))

    return to


def link(name: str, aim: str, kind: bytes = tarfile.SYMTYPE) -> Add:
    return add(name, b"", type=kind, linkname=aim)


def packed(*members: Add, mode: str = "w:gz") -> io.BytesIO:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for member in members:
            member(archive)
    out.seek(0)
    return out


def beyond_the_longest_path(victim: Path) -> list[Add]:
    """CVE-2025-4517: names beyond PATH_MAX end the resolving of links in tarfile's own filter."""
    members: list[Add] = []
    folder, path, steps = "d" * 247, "", "abcdefghijklmnop"
    for step in steps:
        members += [add(f"{path}{folder}", b"", type=tarfile.DIRTYPE), link(f"{path}{step}", folder)]
        path += f"{folder}/"
    last = f"{'/'.join(steps)}/{'l' * 254}"
    members += [link(last, "../" * len(steps)), link("escape", f"{last}/{'../' * 20}{victim.as_posix().lstrip('/')}")]
    return [*members, add("escape/mark")]


WAYS: dict[str, Callable[[Path], list[Add]]] = {
    "above": lambda victim: [add("../victim/mark")],
    "absolute": lambda victim: [add(f"{victim}/mark")],
    "link": lambda victim: [link("a", str(victim)), add("a/mark")],
    "link above": lambda victim: [link("a", "../victim"), add("a/mark")],
    "links by steps": lambda victim: [
        add("b/c", b"", type=tarfile.DIRTYPE), link("b/c/top", "../.."), link("a", "b/c/top/../victim"), add("a/mark"),
    ],
    "hard link": lambda victim: [link("a", f"{victim}/own", tarfile.LNKTYPE), add("a")],
    "long names": beyond_the_longest_path,
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_an_archive_writes_nothing_outside_its_folder(way: str, tmp_path: Path) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "folder"
    victim.mkdir()
    folder.mkdir()
    (victim / "own").write_text("own")
    with suppress(ValueError):
        unpack_tar(packed(*WAYS[way](victim)), folder)
    assert [path.name for path in victim.iterdir()] == ["own"] and (victim / "own").read_text() == "own"
    assert not [path for path in folder.rglob("*") if not path.resolve().is_relative_to(folder)]


TOO_MUCH: dict[str, Callable[[], io.BytesIO]] = {
    "bytes": lambda: packed(add("a", bytes(2 * 1024**2))),
    "bytes in a header": lambda: packed(add("a", b"z" * 1_500_000, type=tarfile.XHDTYPE)),
    "a size that is not there": lambda: io.BytesIO(said_to_be(10**12)),
    "holes": lambda: packed(add("a", b"x", pax_headers={"GNU.sparse.size": "1000000000000", "GNU.sparse.map": "0,1"})),
    "depth": lambda: packed(add("/".join("d" * 500))),
    "a name": lambda: packed(add("n" * 3000)),
    "cut": lambda: io.BytesIO(packed(add("a", bytes(1000))).getvalue()[:-20]),
    "no archive": lambda: io.BytesIO(b"\x1f\x8b" + b"no" * 600),
}


def block(kind: bytes, content: bytes = b"", size: int | None = None) -> bytes:
    """A member as it stands in an archive; it may say of itself that it is larger."""
    member = tarfile.TarInfo("a")
    member.type, member.size = kind, len(content) if size is None else size
    return member.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)


def pax(**values: str) -> bytes:
    """The content of a pax header."""
    content = b""
    for name, value in values.items():
        record = f" {name.replace('_', '.')}={value}\n".encode()
        size = next(size for size in count(len(record)) if size == len(record) + len(str(size)))
        content += str(size).encode() + record
    return content


MAP = pax(GNU_sparse_major="1", GNU_sparse_minor="0", GNU_sparse_name="x", GNU_sparse_realsize="10")
HEADERS: dict[str, Callable[[], bytes]] = {
    "a map of holes without an end": lambda: (
        block(tarfile.XHDTYPE, MAP) + block(tarfile.REGTYPE, b"1000000000000\n" + b"9\n" * 500_000, 8 * 1024**3 - 1)
    ),
    "old holes, cut": lambda: old_holes(),
    "a large header": lambda: block(tarfile.XHDTYPE, pax(comment="a" * 70_000)) + block(tarfile.REGTYPE),
    "headers in a row": lambda: block(tarfile.XGLTYPE, pax(comment="a" * 1000)) * 1000 + block(tarfile.REGTYPE),
    "all headers": lambda: (block(tarfile.XGLTYPE, pax(comment="a" * 60_000)) + block(tarfile.REGTYPE)) * 150,
    "digits": lambda: block(tarfile.XHDTYPE, b"1" * 60_000) + block(tarfile.REGTYPE),
}


def old_holes() -> bytes:
    """A GNU sparse member that says that more of its map follows, and ends."""
    header = bytearray(block(tarfile.GNUTYPE_SPARSE))
    header[482] = 1
    header[148:156] = b"%06o\0 " % (256 + sum(header[:148]) + sum(header[156:512]))
    return bytes(header)


@pytest.mark.parametrize("case", HEADERS)
def test_the_headers_of_an_archive_have_limits(case: str, tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(ValueError, match=r"header|cannot be read"):
        unpack_tar(io.BytesIO(HEADERS[case]()), tmp_path)
    assert time.monotonic() - began < 10


def noted(seen: list[str], name: str) -> bool:
    seen.append(name)
    return True


def test_a_header_for_all_files_is_not_kept(tmp_path: Path) -> None:
    keys = pax(path="named", **{f"k{number}": "a" for number in range(5000)})
    archive = block(tarfile.XGLTYPE, keys) + block(tarfile.REGTYPE)
    archive += (block(tarfile.XHDTYPE, pax(comment="a")) + block(tarfile.REGTYPE)) * 100
    seen: list[str] = []
    unpack_tar(io.BytesIO(archive), tmp_path, lambda name: not noted(seen, name))
    assert seen == ["named", *["a"] * 100]


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_long_names_and_exact_times_are_plain_headers(form: int, tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form, pax_headers={"comment": COMMIT}) as archive:
        for number in range(6000):
            add(f"{'d' * 150}/\u00e9{number}", b"", mtime=1.5)(archive)
        add("large", bytes(3_000_000))(archive)
    out.seek(0)
    seen: list[str] = []
    unpack_tar(out, tmp_path, lambda name: noted(seen, name) and name == "large")
    assert len(seen) == 6001 and (tmp_path / "large").stat().st_size == 3_000_000


def said_to_be(size: int) -> bytes:
    """An archive with a member that says to be so large."""
    member = tarfile.TarInfo("a")
    member.size = size
    return member.tobuf(tarfile.GNU_FORMAT) + bytes(4096)


@pytest.mark.parametrize("case", TOO_MUCH)
def test_an_archive_fills_neither_disk_nor_memory(case: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"."):
        unpack_tar(TOO_MUCH[case](), tmp_path, most=1_000_000)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) <= 1_000_000


def test_a_zip_writes_nothing_outside_and_no_more_than_it_may(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, content, kind in (
        ("../mark", b"x", zipfile.ZIP_DEFLATED), ("a", bytes(2 * 10**6), zipfile.ZIP_DEFLATED), ("a", b"x", zipfile.ZIP_BZIP2),
    ):  # fmt: skip
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", kind) as archive:
            archive.writestr(name, content)
        with pytest.raises(ValueError, match=r"."):
            unpack_zip(out, folder, most=10**6)
    assert list(tmp_path.rglob("*")) == [folder]


def test_a_name_that_no_file_can_have_is_told_as_what_is_wrong_with_the_archive(tmp_path: Path) -> None:
    for name in ("a" * 300, "é" * 200, f"folder/{'b' * 256}/c.py"):
        with pytest.raises(ValueError, match="too long"):
            unpack_tar(packed(add(name, b"x")), tmp_path)
    unpack_tar(packed(link("empty", ""), link("long", "a/" * 5 + "b" * 4000), add("c.py", b"x")), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["c.py"]


def test_what_an_archive_holds_rightly_is_unpacked(tmp_path: Path) -> None:
    members = [add("r/a.py", b"one", mode=0o755), link("r/b/c.py", "../a.py"), add("r/d", b"", type=tarfile.FIFOTYPE)]
    unpack_tar(packed(*members), tmp_path, lambda name: name != "r/e")
    assert (tmp_path / "r/b/c.py").read_bytes() == b"one" and not (tmp_path / "r/d").exists()
    assert stat.S_IMODE((tmp_path / "r/a.py").stat().st_mode) == 0o755


class Unasked:
    def get(self, source: str, commit: str | None = None) -> Checkout:
        raise AssertionError("a replay must not fetch")


def recording(folder: Path, archive: io.BytesIO | None = None, **fields: object) -> Tape:
    """A recording that somebody sends, of the repository toy/toy."""
    content = {"root": "/x/toy", "version": COMMIT, "url": "https://example.org/toy", "local": False, **fields}
    Tape(folder, "record").call("repository", {"source": "toy/toy", "commit": None}, lambda: content, dict)
    tape = Tape(folder, "replay")
    if archive is not None:
        path = tape.path("repository", [content["url"], COMMIT]).with_suffix(".tar.gz")
        path.write_bytes(archive.getvalue())
    return tape


def test_a_recording_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir()
    tape = recording(tmp_path / "tape", root=str(private), local=True)
    with pytest.raises(ReplayError, match="--repo"):
        TapeRepositories(tape, Unasked(), tmp_path / "cache").get("toy/toy")
    listed = tmp_path / "list.jsonl"
    lines = ('{"full_name": "a/b", "url": "./private"}', '{"full_name": "c/d", "url": "https://example.org/c/d"}')
    listed.write_text("\n".join(lines))
    wanted = Wanted(language="Python")
    assert len(TapeSource(Tape(tmp_path / "tape", "record"), Catalog.read(listed)).search(wanted)) == 1
    (found,) = TapeSource(Tape(tmp_path / "tape", "replay"), Catalog.read(listed)).search(wanted)
    assert found.full_name == "c/d"


def test_a_folder_that_the_user_names_is_used_in_a_replay(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "a.py").write_text("")
    cache, asked = RepositoryCache(tmp_path / "cache"), str(own)
    recorded = TapeRepositories(Tape(tmp_path / "tape", "record"), cache, tmp_path / "out").get(asked)
    assert TapeRepositories(Tape(tmp_path / "tape", "replay"), cache, tmp_path / "out").get(asked) == recorded


def test_one_recording_does_not_serve_for_another(tmp_path: Path) -> None:
    texts = []
    for name in ("a", "b"):
        tape = recording(tmp_path / name, packed(add("toy/train.py", name.encode())))
        root = TapeRepositories(tape, Unasked(), tmp_path / "cache").get("toy/toy").root
        texts.append((root / "train.py").read_text())
    assert texts == ["a", "b"]


@pytest.mark.parametrize("root", ["/x/..", "/", "/x/other"])
def test_a_recordings_root_is_a_folder_in_it(root: str, tmp_path: Path) -> None:
    tape = recording(tmp_path / "tape", packed(add("toy/train.py")), root=root)
    with pytest.raises(ReplayError):
        TapeRepositories(tape, Unasked(), tmp_path / "cache").get("toy/toy")


def test_a_recordings_files_are_read_up_to_a_limit(tmp_path: Path) -> None:
    tape = recording(tmp_path / "tape")
    (entry,) = (tmp_path / "tape/repository").glob("*.json")
    player = TapeRepositories(tape, Unasked(), tmp_path / "cache")
    archive = tape.path("repository", ["https://example.org/toy", COMMIT]).with_suffix(".tar.gz")
    os.mkfifo(archive)
    with pytest.raises(ReplayError, match="regular"):
        player.get("toy/toy")
    archive.unlink()
    with archive.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ReplayError, match="larger"):
        TapeRepositories(Tape(tape.folder, "replay"), Unasked(), tmp_path / "cache").get("toy/toy")
    for content in ("[" * 100_000, '{"kind": "repository", "request": 1, "result": 3}'):
        entry.write_text(content)
        with pytest.raises(ReplayError, match="cannot be read"):
            TapeRepositories(Tape(tape.folder, "replay"), Unasked(), tmp_path / "cache").get("toy/toy")
