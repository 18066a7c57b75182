"""What a command in a container is asked from outside of it."""

import os
import subprocess
from pathlib import Path

from ml_agent.sandbox.files import newer_file
from ml_agent.sandbox.running_docker import WROTE, DockerRunning


class CountedOutside(DockerRunning):
    """Only the look at the host's own counters, as in a container that ends while it is looked at."""

    def __init__(self, *counters: Path) -> None:
        """Watch these files; nothing runs."""
        self._counters = list(counters)


def test_a_counter_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()  # it is there when it is looked for, and cannot be read
    (tmp_path / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    assert CountedOutside(tmp_path / "none", tmp_path / "gone", tmp_path / "cpu.stat").cpu_seconds() == 2.5


def test_inside_the_same_files_are_signs_of_work_as_outside(tmp_path: Path) -> None:
    marker, workspace = tmp_path / "began", tmp_path / "workspace"
    workspace.mkdir()
    marker.touch()
    os.utime(marker, (1, 1))
    look = WROTE.replace("/tmp/.ml-agent-began", str(marker)).replace("/workspace", str(workspace))
    for name in (".pytest_cache/CACHEDIR.TAG", ".git/index", "a.pyo", "a.lock", "empty", "sub/out.txt"):
        file = workspace / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("" if name == "empty" else "x")
        seen = bool(subprocess.run(["bash", "-c", look], capture_output=True, check=True).stdout)
        assert seen is newer_file(workspace, marker.stat().st_mtime_ns) is (name == "sub/out.txt")
