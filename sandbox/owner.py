"""Who made a container, an image or a folder: found again by labels, and known to be dead or alive."""

import os
import socket
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

LABEL = "ml-agent"
RUN = "ml-agent.run"
OWNER = "ml-agent.owner"
BEGAN = "ml-agent.began"
KIND = "ml-agent.kind"


def labels(run_id: str, kind: str) -> dict[str, str]:
    """The labels for something that this process makes."""
    return {
        LABEL: "1",
        RUN: run_mark(run_id),
        OWNER: f"{socket.gethostname()}:{os.getpid()}",
        BEGAN: _began(os.getpid()),
        KIND: kind,
    }


def run_mark(run_id: str) -> str:
    """A run's id, which may be any folder's name, as its label holds it."""
    return quote(run_id, safe="")


def label_lines(marks: Mapping[str, str]) -> list[str]:
    """Labels for what is committed, as lines of a recipe: Podman reads none from a commit's body.

    Values hold no blanks or quotes, which engines read differently.
    """
    return [f"LABEL {name}={value}" for name, value in marks.items()]


def is_orphan(found: Mapping[str, str]) -> bool:
    """Whether its maker ran on this machine and is gone; also when its process number was given out again."""
    host, _, pid = found.get(OWNER, "").rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    began = found.get(BEGAN, "")
    return _began(int(pid)) != began if began else is_gone(pid)


def is_gone(pid: str) -> bool:
    """Whether a number, as a name tells it, is no process's of this machine any more."""
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except (PermissionError, ValueError):  # another user's, or no number
        return False
    return False


def _began(pid: int) -> str:
    """When a process began, in ticks since the machine started; empty when there is none, or no /proc."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
