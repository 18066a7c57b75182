"""Reading a folder of somebody else's files without ever leaving it."""

import contextlib
import errno
import hashlib
import os
import posixpath
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from ml_agent.tools.errors import RepositoryError, UnsafePathError
from ml_agent.tools.secret_files import is_secret
from ml_agent.tools.walk import FOLDERS, MARKS, MOST_DEPTH, is_control, is_git_folder, is_run_folder

MAX_TEXT_BYTES = 4 * 1024 * 1024
"""How much of a text file is read by default."""
OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
"""Non-blocking and no last link: a pipe swapped in after a check can neither hang nor lead astray."""
MAX_FILES = 200_000
"""A tree with more files is refused: it is no repository but somebody's disk."""
IGNORED_FOLDERS = FOLDERS | {"__pycache__", "node_modules", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox"}
"""Version control, and what tools leave behind."""


def folders_of(files: Iterable[str]) -> frozenset[str]:
    """The folders that hold files, by their relative paths, "." among them."""
    found = {"."}
    for path in files:
        while (path := path.rpartition("/")[0]) and path not in found:
            found.add(path)
    return frozenset(found)


class Tree:
    """The files under one folder, by relative posix path.

    Symbolic links are followed only where they stay inside. Devices, sockets and pipes are never opened, nor what is named
    like a secret, version control's own files, or the folder of a run of this program.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        if not self.root.is_dir():
            raise RepositoryError(f"{root} is not a folder")
        self._foreign: dict[str, str] = {str(self.root): ""}  # we read commits: the root itself may be one of these

    def resolve(self, path: str) -> Path:
        """The real place of `path`, which need not exist; UnsafePathError where it is outside the tree."""
        relative = PurePosixPath(path).as_posix()
        if is_secret(relative):
            raise UnsafePathError(f"{path!r} is not read, because its name looks like a secret")
        if is_control(relative):
            raise UnsafePathError(f"{path!r} is not read, because it belongs to version control")
        if relative.startswith("/") or "\0" in path:
            raise UnsafePathError(f"{path!r} is not a path in the repository: give a relative path")
        place = f"{self.root}/{relative}"
        try:
            target = os.path.realpath(place)  # much faster than pathlib's, which asks the same
        except OSError as error:  # a name that is too long
            raise UnsafePathError(f"the path {path!r} cannot be followed ({error})") from error
        self._check(path, target, is_other=target != place)
        return Path(target)

    def _check(self, path: str, target: str, *, is_other: bool) -> None:
        """That a path may lead to its real place; another than it says where links lead there."""
        root = str(self.root)
        if target != root and not target.startswith(root.rstrip("/") + "/"):
            raise UnsafePathError(f"{path!r} is outside the repository")
        inside = target[len(root) :].strip("/")
        if is_other and is_secret(inside):
            raise UnsafePathError(f"{path!r} links to a file that is not read, because its name looks like a secret")
        owner = "version control's" if is_other and is_control(inside) else self._owner(target)
        if owner:
            raise UnsafePathError(f"{path!r} is not read, because it links to {owner} own files")

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder at `path`, inside the tree."""
        return self._mode(path) is not None

    def is_file(self, path: str) -> bool:
        """Whether there is a regular file at `path`, inside the tree."""
        mode = self._mode(path)
        return mode is not None and stat.S_ISREG(mode)

    def is_dir(self, path: str) -> bool:
        """Whether there is a folder at `path`, inside the tree."""
        mode = self._mode(path)
        return mode is not None and stat.S_ISDIR(mode)

    def open(self, path: str) -> IO[bytes]:
        """A regular file for reading.

        Raises UnsafePathError for what is outside or no regular file, FileNotFoundError for what is not there.
        """
        descriptor = os.open(self._regular(path), OPEN_FLAGS)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UnsafePathError(f"{path!r} is not a regular file")
        return os.fdopen(descriptor, "rb")

    def read_bytes(self, path: str, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
        """The first `max_bytes` bytes of a regular file; raises as `open` does."""
        with self.open(path) as file:
            return file.read(max_bytes)

    def read_text(self, path: str, max_bytes: int = MAX_TEXT_BYTES) -> str:
        """The first `max_bytes` bytes of a file as text: UTF-8, what does not decode is replaced, lines end in \\n."""
        text = self.read_bytes(path, max_bytes).decode("utf-8", errors="replace")
        return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")

    def size(self, path: str) -> int:
        """Size of a regular file in bytes."""
        return self._regular(path).stat().st_size

    def files(self, under: str = ".") -> tuple[str, ...]:
        """Relative posix paths of all regular files, sorted.

        Links to files inside count; linked folders, IGNORED_FOLDERS, virtual environments, runs and what is nested deeper than MOST_DEPTH do
        not. Raises
        RepositoryError above MAX_FILES files.
        """
        start = self.resolve(under)
        found = (
            path for path, is_link in self._walk(start) if _is_content(path) and (not is_link or self.is_file(path))
        )
        return tuple(sorted(found))

    def state(self) -> tuple[str, int]:
        """A hash of what the disk says of all files, those that are not read included, and when the last one changed, in nanoseconds."""
        digest, newest = hashlib.blake2b(digest_size=16), 0
        for path, _ in sorted(self._walk(self.root)):
            with contextlib.suppress(OSError):  # gone since it was listed
                one = os.lstat(f"{self.root}/{path}")
                seen = (path, one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino)
                digest.update(repr(seen).encode("utf-8", "surrogateescape"))
                newest = max(newest, one.st_ctime_ns)
        return digest.hexdigest(), newest

    def _owner(self, place: str) -> str:
        """Whose own a folder on the way from the root is, "" where it is the repository's."""
        if place not in self._foreign:
            run = "a run's" if is_run_folder(place) else ""
            own = "version control's" if is_git_folder(place) else run
            self._foreign[place] = self._owner(posixpath.dirname(place)) or own
        return self._foreign[place]

    def _regular(self, path: str) -> Path:
        target = self.resolve(path)
        try:
            mode = target.stat().st_mode
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise FileNotFoundError(f"{path[:80]!r}…: the name of this file is too long") from error
            if error.errno == errno.ELOOP:  # since Python 3.13 `resolve` passes a loop of links
                raise UnsafePathError(f"the path {path!r} cannot be followed ({error.strerror})") from error
            raise
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(f"{path!r} is a folder")
        if not stat.S_ISREG(mode):
            raise UnsafePathError(f"{path!r} is not a regular file")
        return target

    def _mode(self, path: str) -> int | None:
        try:
            return self.resolve(path).stat().st_mode
        except (UnsafePathError, OSError):
            return None

    def _walk(self, start: Path) -> Iterator[tuple[str, bool]]:
        """All files and links below a folder, each with whether it is a link."""
        count, folders = 0, [start]
        while folders:
            folder = folders.pop()
            entries = _entries(folder)
            inside = os.path.relpath(folder, self.root)
            before = "" if inside == "." else f"{inside}/"
            names = {entry.name for entry in entries}
            if "pyvenv.cfg" in names or (inside != "." and (names >= MARKS or is_git_folder(folder))):
                continue
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    known = entry.name in IGNORED_FOLDERS or is_control(entry.name)
                    if not known and before.count("/") < MOST_DEPTH:
                        folders.append(Path(entry.path))
                    continue
                path = before + entry.name
                if entry.is_file(follow_symlinks=False) or entry.is_symlink():
                    count += 1
                    if count > MAX_FILES:
                        raise RepositoryError(f"{self.root} has more than {MAX_FILES} files; give a smaller folder")
                    yield path, entry.is_symlink()


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []  # a folder that we may not read, or whose path is too long, holds nothing that we could use


def _is_content(path: str) -> bool:
    """Whether a path may be shown: it can be, says of no secret, and is not version control's own."""
    return not (_unprintable(path) or is_secret(path) or is_control(path))


_OBEYED = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""What a terminal obeys rather than shows."""


def _unprintable(path: str) -> bool:
    """Whether a name is not UTF-8, or holds what a terminal obeys: it could be neither shown, nor stored, nor typed."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return True
    return _OBEYED.search(path) is not None
