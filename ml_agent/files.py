"""Atomic writes, locks, and texts of a limited size."""

import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ml_agent.tools.atomic import write_whole
from ml_agent.tools.bounded import read_bytes


def write_atomically(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a text file so that a reader or a kill never sees half of it."""
    write_whole(path, text.encode("utf-8"), mode)


def make_writable(folder: Path) -> None:
    """Make a folder, and see that files can be made in it. Raises OSError where they cannot."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def whole_lines(path: Path) -> None:
    """End a file of lines with a whole one, before more are added: a kill may have cut the last, which is taken away.

    OSError for what is no file.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EISDIR, "not a regular file", str(path))
    with suppress(FileNotFoundError), path.open("rb+") as file:
        at = end = file.seek(0, os.SEEK_END)
        while at > 0:
            step = min(at, 64 * 1024)
            file.seek(at - step)
            kept = file.read(step).rfind(b"\n") + 1
            if kept:
                at += kept - step
                break
            at -= step
        if at < end:
            file.truncate(at)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file for this process; BlockingIOError where another one has it. The lock ends with the process."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    with os.fdopen(handle, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def read_small(path: Path, most: int) -> str:
    """A text file of at most `most` bytes; OSError for what is none, ValueError for what is no UTF-8."""
    return read_bytes(path, most).decode("utf-8")


def read_lines(path: Path, most: int) -> list[str]:
    """The lines of a small text file; only a line feed ends one, since JSON texts may hold every other mark as it is."""
    return read_small(path, most).removesuffix("\n").split("\n")
