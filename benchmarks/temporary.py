"""Temporary folders of the bench, named by their process: a worker that is ended removes nothing itself."""

import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "ml-agent-bench-"


def prefix(name: str) -> str:
    """What the name of such a folder begins with."""
    return f"{_PREFIX}{os.getpid()}-{name}-"


def temporary(name: str) -> Path:
    """A folder for as long as this process lives; the next process, or whoever ended this one, removes it."""
    sweep()
    return Path(tempfile.mkdtemp(prefix=prefix(name)))


def sweep() -> None:
    """Remove the folders of this user's processes that are gone."""
    if not Path("/proc/self").exists():
        return  # nobody here says who lives
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)
