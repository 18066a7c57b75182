"""Files that are whole or not there: written beside their place, then renamed; what killed writers left is found again."""

import functools
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

_UNFINISHED = re.compile(r"\..+\.(\d+)-[0-9a-f]{8}\.part")
"""What a write is called until it is whole; the number is the writing process's."""


def unfinished_name(path: Path) -> Path:
    """A place beside `path` to write it to, before it is renamed; what dead processes left there is removed."""
    _sweep_once(path.parent)
    return path.with_name(f".{path.name[:40]}.{os.getpid()}-{secrets.token_hex(4)}.part")


def write_whole(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write a file so that a reader or a kill never sees half of it. Raises OSError, and then leaves nothing."""
    temporary = unfinished_name(path)
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:  # also Ctrl-C must leave no half-written file
        temporary.unlink(missing_ok=True)
        raise


def remove_unfinished(folder: Path) -> None:
    """Remove what killed writers left in a folder; those that live keep theirs."""
    if not Path("/proc/self").exists():
        return  # nobody here says who lives
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _UNFINISHED.fullmatch(entry.name)
            if match and not Path(f"/proc/{match[1]}").exists():
                Path(entry.path).unlink(missing_ok=True)


@functools.lru_cache(maxsize=256)
def _sweep_once(folder: Path) -> None:
    remove_unfinished(folder)
