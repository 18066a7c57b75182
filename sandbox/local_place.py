"""Folders of local sandboxes on this host: one each while it lives, and environments that are kept for later runs."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ml_agent.sandbox import temporary
from ml_agent.sandbox.owner import is_gone, labels
from ml_agent.tools.atomic import write_whole
from ml_agent.tools.own_cache import own_cache

PARTS = ("workspace", "home")
"""The environment is apart, and read-only once it was kept."""
VENV_FOLDER = "venv"
"""Of an environment that is being made or was kept."""
FETCH = "fetch"
"""Folder that is a home to steps of the installer alone."""
WRITABLE = (*PARTS, "tmp", FETCH)
"""Where commands may write."""
GATE = "gate"
"""Folder of the socket through which set-ups reach the package index."""
OWNER_FILE = "owner.json"
NOTE_FILE = "note.json"
MOST_KEPT, FEWEST_KEPT = 60, 4
"""Environments that are kept for later runs, and how few where the disk is nearly full."""
LEAST_FREE = 8 * 1024**3
"""Bytes of the disk that must be free for more to be kept."""
IN_USE_SECONDS = 6 * 3600.0
"""How long a run may live in an environment that it took."""


def places() -> Path:
    """The folder below which all local sandboxes are made, one folder each."""
    return own_cache() / "sandboxes"


def setups() -> Path:
    """The folder of environments, one folder each, and of what was downloaded for them."""
    return own_cache() / "setups"


def builds() -> Path:
    """The folder of wheels that were built, one folder for the content of each repository; seen in no sandbox."""
    return own_cache() / "builds"


def downloads(user: int | None) -> Path:
    """Where the installer keeps what it downloaded as one user."""
    return setups() / ("uv" if user is None else f"uv-{user}")


def make_place(run_id: str, kind: str, user: int | None = None) -> Path:
    """A new folder with its parts, labelled with its owner; the parts belong to `user` where one is given."""
    places().mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f"sandbox-{os.getpid()}-", dir=places()))
    (place / OWNER_FILE).write_text(json.dumps(labels(run_id, kind)))
    (place / GATE).mkdir()
    make_parts(place, user)
    return place


def make_parts(place: Path, user: int | None) -> None:
    """The parts of a place, empty and with nothing of what they were before."""
    for part in WRITABLE:
        if os.path.lexists(place / part):
            temporary.remove(place / part)
        (place / part).mkdir(mode=0o700)
        if user is not None:
            os.chown(place / part, user, user)


def make_environment(user: int | None) -> Path:
    """A new folder for an environment, beside those that were kept; nobody but us, and `user`, may look into any of them."""
    setups().mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = Path(tempfile.mkdtemp(prefix=f"new-{os.getpid()}-", dir=setups()))
    made = [fresh / VENV_FOLDER, downloads(user)]
    for folder in made:
        folder.mkdir(mode=0o700, exist_ok=True)
    if user is not None:
        for folder in (setups(), fresh, *made):
            os.chown(folder, user, user)
    return fresh


def keep(fresh: Path, key: str, note: str) -> Path:
    """Keep an environment under a key and say where it is now; where it was where another run was first or it cannot be moved."""
    target = setups() / key
    try:
        (fresh / NOTE_FILE).write_text(note)
        if target.exists():
            return fresh
        fresh.rename(target)
    except OSError:
        return fresh
    _forget_oldest()
    return target


def kept(key: str) -> Path | None:
    """What was kept under a key."""
    folder = setups() / key
    if not (folder / NOTE_FILE).is_file() or (folder / VENV_FOLDER).is_symlink():
        return None
    with suppress(OSError):
        os.utime(folder / NOTE_FILE)
    return folder


def forget(key: str) -> None:
    """Remove what was kept under a key."""
    remove(setups() / key)


def keep_build(file: Path, content: bytes) -> None:
    """Keep what was built for a repository in its folder of `builds()`; those that were not written to for longest go."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(file, content, 0o600)
    for folder in _oldest(builds().iterdir()):
        remove(folder)


def _forget_oldest() -> None:
    """Beyond a number of kept environments those go that were not taken for longest; without room downloads go, too."""
    for note in outgrown(setups().glob(f"*/{NOTE_FILE}")):
        remove(note.parent)
    for folder in setups().glob("uv*") if is_full() else ():
        remove(folder)


def outgrown(records: Iterable[Path]) -> list[Path]:
    """The files for kept environments that are too many, those that were not taken for longest; none that a run may live in."""
    return [one for one in _oldest(records) if time.time() - _last_change(one) > IN_USE_SECONDS]


def _oldest(kept: Iterable[Path]) -> list[Path]:
    """What is too much to be kept."""
    newest_first = sorted(kept, key=_last_change, reverse=True)
    return newest_first[FEWEST_KEPT if is_full() else MOST_KEPT :]


def _last_change(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another run removed it meanwhile
        return 0.0


def is_full() -> bool:
    """Whether the disk has no room for more to be kept."""
    place = own_cache()
    return shutil.disk_usage(next(one for one in (place, *place.parents) if one.is_dir())).free < LEAST_FREE


def is_abandoned(folder: Path) -> bool:
    """Whether the process that its name tells is gone: it was killed before a place had its owner's mark, or after it lost it."""
    return is_gone(folder.name.partition("-")[2].partition("-")[0])


def remove(path: Path) -> None:
    """Remove a tree as `temporary.remove` does; the owner's mark goes last, for a kill meanwhile."""
    with suppress(OSError):
        for child in path.iterdir():
            if child.is_dir() and not child.is_symlink():
                temporary.remove(child)
    temporary.remove(path)
