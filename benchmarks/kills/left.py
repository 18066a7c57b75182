"""What a killed run must not leave: half files, processes, containers, networks, volumes, folders, control groups."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from ml_agent.sandbox.cgroups import PREFIX
from ml_agent.sandbox.docker_engine import connect
from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.owner import KIND, LABEL, OWNER

MARK = "ML_AGENT_KILLS"
"""Variable by which processes of one trial are known."""
_TEMPORARY = (".part", ".tmp")
_STAGED = (".source-", "new-", "sandbox-", ".new-")


def half_files(*folders: Path) -> list[str]:
    """Files below that are not whole, or that are no more than the beginning of one; folders that somebody was still filling."""
    return [f"{path}: {why}" for folder in folders for path in sorted(folder.rglob("*")) if (why := _wrong(path))]


def _wrong(path: Path) -> str:
    if path.name.endswith(_TEMPORARY) or path.name.startswith(_STAGED):
        return "left over"
    if path.is_symlink() or not path.is_file() or "outputs" in path.parts or "records" in path.parts:
        return ""
    try:
        if path.suffix == ".json":
            json.loads(path.read_text())
        elif path.suffix == ".jsonl":
            for line in path.read_text().splitlines():
                json.loads(line)
        elif path.suffix == ".sqlite":
            with closing(sqlite3.connect(path)) as database:
                found = database.execute("PRAGMA integrity_check").fetchone()[0]
                return "" if found == "ok" else str(found)
    except (ValueError, sqlite3.DatabaseError) as error:
        return f"not whole: {error}"
    return ""


def processes(trial: str, mark: str) -> list[str]:
    """Command lines of processes that a trial started and that still live, on this machine and in its sandboxes."""
    return [line for line, environment in _all() if f"{MARK}={trial}".encode() in environment or mark in line.split()]


def _all() -> Iterator[tuple[str, bytes]]:
    for place in Path("/proc").glob("[0-9]*"):
        try:
            line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            state = (place / "stat").read_text().rpartition(")")[2].split()[0]
            environment = (place / "environ").read_bytes() if int(place.name) != os.getpid() else b""
        except OSError:
            continue
        if state != "Z":
            yield line, environment.replace(b"\0", b"\n")


def of_engine(pids: set[int]) -> list[str]:
    """Containers, networks, volumes and snapshots that processes of these numbers made; none where no engine answers."""
    try:
        client = connect()
    except SandboxUnavailableError:
        return []
    labelled: dict[str, str | list[str] | bool] = {"label": f"{LABEL}=1"}
    with closing(client):
        found: list[tuple[str, str | None, Any]] = [
            ("container", one.name, one.labels)
            for one in client.containers.list(all=True, filters=labelled, ignore_removed=True)
        ]
        found += [("network", one.name, one.attrs.get("Labels")) for one in client.networks.list(filters=labelled)]
        found += [("volume", one.name, one.attrs.get("Labels")) for one in client.volumes.list(filters=labelled)]
        snapshots = {"label": [f"{LABEL}=1", f"{KIND}=snapshot"]}
        found += [("image", one["Id"], one.get("Labels")) for one in client.api.images(filters=snapshots)]
    owners = {str(pid) for pid in pids}
    return [
        f"{kind} {name}" for kind, name, labels in found if (labels or {}).get(OWNER, "").rpartition(":")[2] in owners
    ]


def control_groups(pids: set[int]) -> list[str]:
    """Control groups that these processes made."""
    folders = (path for path in Path("/sys/fs/cgroup").rglob(f"{PREFIX}[0-9]*") if path.is_dir())
    return [str(path) for path in folders if int(path.name.removeprefix(PREFIX).partition("-")[0]) in pids]
