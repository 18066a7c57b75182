"""Unpacks an archive that somebody else made: the one place where that is done.

Names go by `InnerPath` and files by `HeldFolder`, so that nothing is written outside of the folder. Bytes, files, depth and
names have limits, whatever the archive says of itself.
"""

import gzip
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from ml_agent.sandbox.held_folder import HeldFolder
from ml_agent.sandbox.inner_path import InnerPath, safe_relative

MAX_BYTES = 2 * 1024**3
"""Of an archive's files, and of the names and headers between them."""
MAX_FILES = 200_000
"""Files, folders and links."""
_DEPTH, _NAME, _PART = 64, 2048, 255
_STEP = 1024**2
"""What is read at once; a header that asks for more is none."""
_HEADER, _HEADERS = 64 * 1024, 8 * 1024**2
"""The headers of one member, and of all beyond what each may have anyway."""
_PLAIN_HEADER = 2048
_DIGITS = re.compile(rb"[0-9]{300}")
"""Longer than any name or number; tarfile's patterns take the square of the time for them."""
_PLAIN_ZIP = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""The kinds of compression that zipfile unpacks in small steps."""
Wanted = Callable[[str], bool]
"""Whether the file or folder of a name is taken."""


def unpack_tar(packed: IO[bytes], folder: Path, wanted: Wanted = bool, most: int = MAX_BYTES) -> None:
    """Unpack a tar archive, compressed by gzip or not, into a folder that is there.

    Regular files, folders, and links that stay in the folder are taken, all else is left out. Raises ValueError for what is no
    archive, leads out or is larger than `most` bytes; what was written until then stays.
    """
    gzipped = packed.read(2) == b"\x1f\x8b"
    packed.seek(0)
    stream = _Forwards(gzip.GzipFile(fileobj=packed) if gzipped else packed, most)
    with _readable(), closing(HeldFolder(folder)) as place, tarfile.open(fileobj=stream, mode="r:") as archive:  # type: ignore[call-overload]
        target = _Target(place)
        for member in _members(archive, stream):
            if wanted(member.name):
                _take(archive, member, target)


def unpack_zip(packed: IO[bytes], folder: Path, wanted: Wanted = bool, most: int = MAX_BYTES) -> None:
    """Unpack the files of a zip archive as `unpack_tar` does."""
    with _readable(), closing(HeldFolder(folder)) as place, zipfile.ZipFile(packed) as archive:
        target = _Target(place)
        for member in archive.infolist():
            if member.is_dir() or not wanted(member.filename):
                continue
            most -= member.file_size
            if most < 0 or member.compress_type not in _PLAIN_ZIP:
                raise ValueError(
                    f"the file {member.filename[:80]!r} in the archive is too large, or compressed by an unknown method"
                )
            with archive.open(member) as content:
                target.file(member.filename, content, executable=False)


def _members(archive: tarfile.TarFile, stream: "_Forwards") -> Iterator[tarfile.TarInfo]:
    """The members in order, none of which is kept: of an archive with many, all would be."""
    for _ in range(MAX_FILES + 1):
        stream.begin_header()
        if (member := archive.next()) is None:
            return
        stream.end_header()
        archive.members.clear()  # type: ignore[attr-defined]
        archive.pax_headers.clear()  # type: ignore[attr-defined]
        yield member
    raise ValueError("the archive contains too many files")


def _take(archive: tarfile.TarFile, member: tarfile.TarInfo, target: "_Target") -> None:
    if member.isdir():
        target.folder(member.name)
    elif member.issym():
        target.link(member.name, member.linkname)
    elif member.issparse():
        raise ValueError(f"the file {member.name[:80]!r} in the archive is sparse, and sparse files are not unpacked")
    elif member.isreg() and (content := archive.extractfile(member)) is not None:
        target.file(member.name, content, bool(member.mode & stat.S_IXUSR))


class _Target:
    """Where files go, with the limits on names and numbers."""

    def __init__(self, place: HeldFolder) -> None:
        self._place, self._count = place, 0

    def folder(self, name: str) -> None:
        """Make a folder."""
        self._place.make_folder(self._path(name))

    def file(self, name: str, content: IO[bytes], executable: bool) -> None:
        """Write a file."""
        path = self._path(name)
        if path.is_top:
            raise ValueError(f"{name!r} in the archive is not a valid file name")
        self._place.write_stream(path, content, 0o755 if executable else 0o644)

    def link(self, name: str, aim: str) -> None:
        """Make a link; one that may lead out of the folder is left out."""
        path = self._path(name)
        if not path.is_top and 0 < len(aim) <= _NAME and "\0" not in aim and _stays(path, PurePosixPath(aim)):
            self._place.link(path, Path(aim))

    def _path(self, name: str) -> InnerPath:
        self._count += 1
        path = safe_relative(name)
        if self._count > MAX_FILES or len(path.pure.parts) > _DEPTH or len(name) > _NAME or "\0" in name:
            raise ValueError(f"the archive contains too many files, or the path {name[:80]!r} is too long or too deep")
        if any(len(os.fsencode(part)) > _PART for part in path.pure.parts):
            raise ValueError(f"the file name {name[:80]!r} in the archive is too long")
        return path


def _stays(link: InnerPath, aim: PurePosixPath) -> bool:
    """Whether a link's text leads upwards only first, and not above the folder: whatever lies on its way stays inside, too."""
    down = [part for part in aim.parts if part != ".."]
    up = len(aim.parts) - len(down)
    return (
        not aim.is_absolute()
        and aim.parts == ("..",) * up + tuple(down)
        and up < len(link.pure.parts)
        and len(aim.parts) <= _DEPTH
    )


class _Forwards:
    """A stream that is read forwards only, in small steps and up to a limit: neither memory nor disk is filled by what it says."""

    def __init__(self, inner: IO[bytes] | gzip.GzipFile, most: int) -> None:
        self._inner, self._most, self._at = inner, most, 0
        self._header, self._headers = _HEADER, _HEADERS
        self._in_header = True  # tarfile reads the first as it opens the archive

    def tell(self) -> int:
        """How much was read."""
        return self._at

    def begin_header(self) -> None:
        """From here on, what is read is of a member's headers: tarfile keeps or works on all of it."""
        self._header, self._in_header = _HEADER, True
        self._headers += _PLAIN_HEADER

    def end_header(self) -> None:
        """From here on, what is read is a member's content."""
        self._in_header = False

    def seek(self, position: int) -> None:
        """Read on up to a position."""
        while self._at < position and self._next(min(_STEP, position - self._at)):
            pass
        if self._at > position:
            raise ValueError("the archive is damaged: it is not in order")

    def read(self, size: int) -> bytes:
        """The next bytes."""
        most = min(self._header, self._headers) if self._in_header else _STEP
        if not 0 <= size <= most:
            raise ValueError("the archive is damaged: a header is too large")
        content = self._next(size)
        if self._in_header:
            self._header, self._headers = self._header - size, self._headers - size
            if _DIGITS.search(content):
                raise ValueError("the archive is damaged: a header cannot be read")
        return content

    def _next(self, size: int) -> bytes:
        content = self._inner.read(size)
        self._at += len(content)
        if self._at > self._most:
            raise ValueError(f"the archive is larger than {self._most / 1e6:,.1f} MB when it is unpacked")
        return content


@contextmanager
def _readable() -> Iterator[None]:
    """Whatever the libraries say of a damaged archive is a ValueError."""
    try:
        yield
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        gzip.BadGzipFile,
        zlib.error,
        EOFError,
        IndexError,
        OverflowError,
        RuntimeError,
    ) as error:
        raise ValueError(f"the archive cannot be read: {error}") from error
