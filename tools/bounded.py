"""Reads of files that may be anything by now: neither a pipe, a device nor an endless file can hang them or fill the memory."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path


def read_bytes(path: Path, most: int) -> bytes:
    """A file of at most `most` bytes; OSError for what is none."""
    with open_bytes(path, most) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(27, f"larger than {most} bytes", str(path))
    return content


@contextmanager
def open_bytes(path: Path, most: int) -> Iterator[BufferedReader]:
    """A regular file of at most `most` bytes to read from; OSError for what is none."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise OSError(22, "not a regular file", str(path))
        if about.st_size > most:
            raise OSError(27, f"larger than {most} bytes", str(path))
        yield file
