"""Removes what our runs left behind, and nothing of others."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

import docker
import msgspec
from docker.errors import APIError, DockerException
from requests.exceptions import RequestException

from ml_agent.sandbox.cgroups import sweep_control_groups
from ml_agent.sandbox.docker_engine import connect
from ml_agent.sandbox.docker_environments import kept_names
from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.local_place import OWNER_FILE, builds, is_abandoned, is_full, places, remove, setups
from ml_agent.sandbox.owner import KIND, LABEL, RUN, is_orphan, run_mark
from ml_agent.sandbox.temporary import sweep

Meant = Callable[[Mapping[str, str]], bool]
"""Says of labels whether what carries them is to be removed."""
UNUSED_SECONDS = 7 * 24 * 3600.0
"""How old an image with Debian packages may become in which no environment is kept."""


class RemovedCounts(msgspec.Struct, kw_only=True):
    """How many of each kind were removed."""

    containers: int = 0
    volumes: int = 0
    images: int = 0
    folders: int = 0
    processes: int = 0

    def __str__(self) -> str:
        counts = [f"{number} {name}" for name, number in msgspec.structs.asdict(self).items() if number]
        return ", ".join(counts) or "nothing"


def reap() -> RemovedCounts:
    """Remove what dead runs of this machine left; cheap, done when a run starts. Living runs keep theirs."""
    removed = _remove(is_orphan, images=False)
    sweep_control_groups()
    return removed


def clean(images: bool = False, run_id: str | None = None) -> RemovedCounts:
    """Remove what dead runs left, or everything of one run; with `images` also kept set-ups, not the base image."""

    def meant(found: Mapping[str, str]) -> bool:
        return found.get(RUN) == run_mark(run_id) if run_id is not None else is_orphan(found)

    removed = _remove(meant, images)
    sweep_control_groups(everywhere=True)
    return removed


def _remove(meant: Meant, images: bool) -> RemovedCounts:
    removed = RemovedCounts(folders=sweep())
    _local(meant, removed, images)
    try:
        client = connect()
    except SandboxUnavailableError:
        return removed
    with closing(client), suppress(DockerException, RequestException):  # what it does not answer is left to the next
        _docker(client, meant, removed, images)
    return removed


def _docker(client: docker.DockerClient, meant: Meant, removed: RemovedCounts, images: bool) -> None:
    mine: dict[str, str | list[str] | bool] = {"label": f"{LABEL}=1"}
    kept = kept_names()
    for container in client.containers.list(all=True, filters=mine, ignore_removed=True):
        if meant(container.labels):
            with suppress(APIError):  # another clean-up may have it in hand
                container.remove(force=True, v=True)
                removed.containers += 1
    for volume in client.volumes.list(filters=mine):
        marks = volume.attrs.get("Labels") or {}
        if marks.get(KIND) == "downloads":
            superfluous = images or is_full()
        else:
            superfluous = images if volume.name in kept else meant(marks)
        if superfluous:
            with suppress(APIError):
                volume.remove()
                removed.volumes += 1
    # `client.images.list` fails where another clean-up removes one meanwhile
    for image in client.api.images(filters=mine):
        labels = image.get("Labels") or {}
        unused = kept.isdisjoint(image.get("RepoTags") or ()) and time.time() - image["Created"] > UNUSED_SECONDS
        if labels.get(KIND) == "setup" and (images or (unused and meant(labels))):
            with suppress(APIError):  # an image that a living container uses stays
                client.images.remove(image["Id"])
                removed.images += 1


def _local(meant: Meant, removed: RemovedCounts, images: bool) -> None:
    for place in _folders(places()):
        owner = _owner(place)
        if meant(owner) or (not owner and is_abandoned(place)):
            removed.processes += _end_processes(place)
            remove(place)
            removed.folders += not place.exists()
    for kept in (*_folders(setups()), *_folders(builds())):
        if images or (kept.name.startswith(("new-", "aside-")) and is_abandoned(kept)):
            remove(kept)
            removed.folders += not kept.exists()


def _folders(parent: Path) -> list[Path]:
    return sorted(path for path in parent.iterdir() if path.is_dir()) if parent.is_dir() else []


def _owner(place: Path) -> dict[str, str]:
    """The labels of a place; none where it has none, and then it is not ours."""
    try:
        found = json.loads((place / OWNER_FILE).read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _end_processes(place: Path) -> int:
    """Kill processes that still work in a place: those whose home it is, or whose folder lies in it."""
    ended = 0
    for pid in _processes():
        if pid != os.getpid() and _works_in(pid, place):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                ended += 1
    return ended


def _processes() -> Iterator[int]:
    if Path("/proc").is_dir():
        yield from (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())


def _works_in(pid: int, place: Path) -> bool:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        folder = Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return False
    home = b"HOME=" + os.fsencode(place / "home")
    return home in environment.split(b"\0") or folder.is_relative_to(place)
