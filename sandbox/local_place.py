"""Folders of local sandboxes on this host: one each while it lives, and environments that are kept for later runs."""

import json
import os
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from ml_agent.sandbox import temporary
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.owner import is_gone, labels

KEPT = ("venv", "home")
"""What is kept of an environment for later runs: nothing of a repository."""
PARTS = ("workspace", *KEPT)
"""What a snapshot holds."""
WRITABLE = (*PARTS, "tmp")
"""Where commands may write."""
GATE = "gate"
"""Folder of the socket through which set-ups reach the package index."""
COPY_SECONDS = 1800.0
OWNER_FILE = "owner.json"
NOTE_FILE = "note.json"


def places() -> Path:
    """The folder below which all local sandboxes are made, one folder each."""
    return _cache() / "sandboxes"


def setups() -> Path:
    """The folder of kept environments, one folder each."""
    return _cache() / "setups"


def make_place(run_id: str, kind: str, user: int | None = None) -> Path:
    """A new folder with its parts, labelled with its owner; the parts belong to `user` where one is given."""
    places().mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f"sandbox-{os.getpid()}-", dir=places()))
    (place / OWNER_FILE).write_text(json.dumps(labels(run_id, kind)))
    (place / GATE).mkdir()
    for part in WRITABLE:
        (place / part).mkdir(mode=0o700)
        if user is not None:
            os.chown(place / part, user, user)
    return place


def keep(place: Path, key: str, note: str) -> None:
    """Keep an environment under a key, where there is room; a copy that is not yet whole is never seen under it."""
    setups().mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f"new-{os.getpid()}-", dir=setups()))
    try:
        for part in KEPT:
            copy(place / part, fresh / part)
        (fresh / NOTE_FILE).write_text(note)
        fresh.rename(setups() / key)
    except (OSError, SandboxLostError):  # another run was first, or the disk is full: the next one makes its own
        remove(fresh)


def kept(key: str) -> Path | None:
    """What was kept under a key."""
    folder = setups() / key
    return folder if (folder / NOTE_FILE).is_file() else None


def copy(source: Path, target: Path) -> None:
    """Copy a tree with everything it has; shares the data where the file system can. Raises SandboxLostError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    command = ["cp", "-a", "--reflink=auto", "-T", str(source), str(target)]
    try:
        subprocess.run(
            command, check=True, capture_output=True, text=True, env={"PATH": os.defpath}, timeout=COPY_SECONDS
        )
    except subprocess.CalledProcessError as error:
        raise SandboxLostError(f"the environment cannot be copied: {error.stderr.strip()[-200:]}") from error
    except subprocess.TimeoutExpired as error:
        raise SandboxLostError(f"the environment is not copied within {COPY_SECONDS:g} s") from error


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


def _cache() -> Path:
    configured = os.environ.get("ML_AGENT_CACHE_DIR")
    return Path(configured) if configured else user_cache_path("ml-agent")
