"""Who made a container, an image or a folder: found again by labels, and known to be dead or alive."""

import os
import socket
from collections.abc import Mapping
from pathlib import Path

LABEL = "ml-agent"
RUN = "ml-agent.run"
OWNER = "ml-agent.owner"
BEGAN = "ml-agent.began"
KIND = "ml-agent.kind"
NOTE = "ml-agent.note"
"""What a kept set-up was made of."""


def labels(run_id: str, kind: str) -> dict[str, str]:
    """The labels for something that this process makes."""
    return {
        LABEL: "1",
        RUN: run_id,
        OWNER: f"{socket.gethostname()}:{os.getpid()}",
        BEGAN: _began(os.getpid()),
        KIND: kind,
    }


def is_orphan(found: Mapping[str, str]) -> bool:
    """Whether its maker ran on this machine and is gone; also when its process number was given out again."""
    host, _, pid = found.get(OWNER, "").rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    began = found.get(BEGAN, "")
    return _began(int(pid)) != began if began else not Path(f"/proc/{pid}").exists()


def _began(pid: int) -> str:
    """When a process began, in ticks since the machine started; empty when there is none, or no /proc."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
