"""A control group for one command, where this machine lets us make one; the kernel's limits are firmer than watching.

Without one (`make_control_group` gives an empty one) the warden watches memory and processes itself. Versions 1 and 2 are known.
"""

import contextlib
import os
import signal
import time
import uuid
from pathlib import Path

from ml_agent.sandbox.contract import Limits
from ml_agent.sandbox.owner import is_gone

MOUNT = Path("/sys/fs/cgroup")
PREFIX = "ml-agent-"
SWAP = frozenset({"memory.memsw.limit_in_bytes", "memory.swap.max"})
"""Files that a kernel without accounts of swap does not have."""
LEAVE_SECONDS = 1.0
"""How long a killed process may take to leave its group."""


class ControlGroup:
    """Folders of one control group (one in version 2, one a controller in version 1), removed by `close`."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self.folders = folders
        self._ooms = self._count_ooms()

    def out_of_memory(self) -> bool:
        """Whether the kernel ended a process here because memory was short."""
        return self._count_ooms() > self._ooms

    def peak_memory_bytes(self) -> int | None:
        """The most memory used at one time, file cache included."""
        for name in ("memory.peak", "memory.max_usage_in_bytes"):
            for folder in self.folders:
                with contextlib.suppress(OSError, ValueError):
                    return int((folder / name).read_text())
        return None

    def kill(self) -> None:
        """End every process in it."""
        for folder in self.folders[:1]:
            with contextlib.suppress(OSError):
                for word in (folder / "cgroup.procs").read_text().split():
                    with contextlib.suppress(ProcessLookupError):  # it ended meanwhile
                        os.kill(int(word), signal.SIGKILL)

    def close(self) -> None:
        """Remove the folders; a group that still has a process is left for the next clean-up."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _count_ooms(self) -> int:
        for folder in self.folders:
            for name in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    return _counter((folder / name).read_text(), "oom_kill")
        return 0


def make_control_group(limits: Limits) -> ControlGroup:
    """A control group with these limits; one without folders where none can be made."""
    made: list[Path] = []
    try:
        for folder, settings in _settings(f"{PREFIX}{os.getpid()}-{uuid.uuid4().hex[:8]}", limits).items():
            folder.mkdir()
            made.append(folder)
            for file, value in settings.items():
                if file not in SWAP or (folder / file).exists():
                    (folder / file).write_text(str(value))
    except OSError:
        ControlGroup(tuple(made)).close()
        return ControlGroup(())
    return ControlGroup(tuple(made))


def sweep_control_groups(everywhere: bool = False) -> int:
    """Remove the groups that dead runs left below our own, or with `everywhere` on the whole machine; how many."""
    return sum(
        _remove(folder) for folder in _groups(everywhere) if is_gone(folder.name.removeprefix(PREFIX).partition("-")[0])
    )


def _groups(everywhere: bool) -> list[Path]:
    if everywhere and MOUNT.is_dir():
        return [Path(here, name) for here, names, _ in os.walk(MOUNT) for name in names if name.startswith(PREFIX)]
    return [folder for base in {*_bases_1().values(), MOUNT / "ml-agent"} for folder in base.glob(f"{PREFIX}*")]


def _remove(folder: Path) -> bool:
    """Remove a group; what was killed in it needs a moment to be gone."""
    deadline = time.monotonic() + LEAVE_SECONDS
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return False
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        else:
            return True


def _settings(name: str, limits: Limits) -> dict[Path, dict[str, int]]:
    """The folders of a group with what is written into each."""
    memory = limits.memory_bytes
    if (MOUNT / "cgroup.controllers").exists():
        base = MOUNT / "ml-agent"
        base.mkdir(exist_ok=True)
        (base / "cgroup.subtree_control").write_text("+memory +pids")
        return {base / name: {"memory.max": memory, "pids.max": limits.pids, "memory.swap.max": 0}}
    settings = {
        "memory": {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory},
        "pids": {"pids.max": limits.pids},
    }
    return {base / name: settings[controller] for controller, base in _bases_1().items()}


def _bases_1() -> dict[str, Path]:
    """Where our own process stands for each controller of version 1 that we need."""
    bases = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            for controller in set(controllers.split(",")) & {"memory", "pids"}:
                base = MOUNT / controller / path.lstrip("/")
                if base.is_dir():
                    bases[controller] = base
    return bases


def _counter(text: str, name: str) -> int:
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == name:
            return int(words[1])
    return 0
