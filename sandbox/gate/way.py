"""Both ends of the way out: the proxy's socket on the host, and the relay that commands inside start with."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.gate.hosts import index_hosts
from sandbox.gate.proxy import IndexProxy
from sandbox.pip_settings import PROXIES, PipSettings

GATE_INSIDE = "/mnt/gate"
"""Where commands find the folder with socket and relay."""
SOCKET, RELAY = "index.sock", "relay.py"
FIND_PYTHON = "PATH=/usr/local/bin:/usr/bin:/bin command -v python3"
"""Prints which Python of an image runs relay and proxy: never one of the environment that commands may change."""
_PREFIX = "ml-agent-gate-"
SSH_PREFIX = "ml-agent-ssh-"
"""Of the folders in which sockets lead to an engine by ssh."""
PORT = 3128
"""Of the relay, in a network namespace of the command's own."""


def make_gate() -> Path:
    """A new folder of this process's for a gate, to be mounted where commands look for it."""
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))


def sweep_gates() -> None:
    """Remove the folders that dead processes left."""
    here = Path(tempfile.gettempdir())
    for folder in (*here.glob(f"{_PREFIX}*-*"), *here.glob(f"{SSH_PREFIX}*-*")):
        pid = folder.name.removeprefix(_PREFIX).removeprefix(SSH_PREFIX).partition("-")[0]
        if pid.isdigit() and Path("/proc/self").exists() and not Path(f"/proc/{pid}").exists() and _is_own(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _is_own(folder: Path) -> bool:
    """Whether a folder, not a link to one, belongs to this user."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


@contextmanager
def gate_open(folder: Path, settings: PipSettings) -> Iterator[IndexProxy]:
    """Let whoever sees `folder` reach the package index of these settings, for the length of the block."""
    folder.chmod(0o711)
    relay = folder / RELAY
    if not relay.exists():
        shutil.copyfile(Path(__file__).with_name(RELAY), relay)
        relay.chmod(0o644)
    proxy = IndexProxy(folder / SOCKET, index_hosts(settings))
    with proxy.serving():
        yield proxy


def relayed(python: str, command: tuple[str, ...]) -> tuple[str, ...]:
    """The command as it starts with a relay before it; `python` as it is found inside."""
    return (python, "-I", "-S", f"{GATE_INSIDE}/{RELAY}", f"{GATE_INSIDE}/{SOCKET}", str(PORT), *command)


def gate_variables() -> dict[str, str]:
    """What makes programs ask the relay."""
    address = f"http://127.0.0.1:{PORT}"
    return {name: "" if name.lower() == "no_proxy" else address for name in PROXIES}
