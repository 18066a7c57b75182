"""Temporary folders named by their process: one that is killed removes nothing itself, so that the next one does."""

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ml_agent.sandbox.owner import is_gone

_PREFIX = "ml-agent-"
REMOVAL_SECONDS = 120.0


def prefix(name: str) -> str:
    """What the name of such a folder begins with."""
    return f"{_PREFIX}{os.getpid()}-{name}-"


def temporary(name: str) -> Path:
    """A folder for as long as this process lives; the next process, or whoever ended this one, removes it."""
    sweep()
    return Path(tempfile.mkdtemp(prefix=prefix(name)))


@contextlib.contextmanager
def lent(name: str) -> Iterator[Path]:
    """A folder for a moment that foreign programs may write; it is removed whatever they left in it."""
    folder = Path(tempfile.mkdtemp(prefix=prefix(name)))
    try:
        yield folder
    finally:
        remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder of any depth, also where folders in it are locked; links are never followed, what stays is no error."""
    with contextlib.suppress(RecursionError):  # deeper than Python goes; then the system's own programs remove it
        shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        return
    unlock = ["find", str(folder), "-type", "d", "!", "-perm", "-700", "-execdir", "chmod", "u+rwx", "{}", ";"]
    for command in (unlock, ["rm", "-rf", str(folder)]):
        with contextlib.suppress(subprocess.TimeoutExpired):  # the next process goes on
            subprocess.run(
                command, env={"PATH": "/usr/bin:/bin"}, capture_output=True, check=False, timeout=REMOVAL_SECONDS
            )


def sweep() -> int:
    """Remove the folders of this user's processes that are gone; how many there were."""
    gone = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        if is_gone(folder.name.removeprefix(_PREFIX).partition("-")[0]) and _is_own(folder):
            remove(folder)
            gone += 1
    return gone


def _is_own(folder: Path) -> bool:
    """Whether a folder, not a link to one, belongs to this user."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
