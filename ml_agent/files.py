"""Atomic writes, and reads that cannot hang or fill the memory."""

import os
import stat
import tempfile
from pathlib import Path


def write_atomically(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a text file so that a reader or a kill never sees half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:  # also Ctrl-C must leave no half-written file
        temporary.unlink(missing_ok=True)
        raise


def read_small(path: Path, most: int) -> str:
    """A text file of at most `most` bytes; OSError for what is none, ValueError for what is no UTF-8."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(22, "not a regular file", str(path))
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(27, f"larger than {most} bytes", str(path))
    return content.decode("utf-8")
