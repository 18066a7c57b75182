"""What a command in a container is asked from outside of it."""

from pathlib import Path

from sandbox.running_docker import DockerRunning


class CountedOutside(DockerRunning):
    """Only the look at the host's own counters, as in a container that ends while it is looked at."""

    def __init__(self, *counters: Path) -> None:
        """Watch these files; nothing runs."""
        self._counters = list(counters)


def test_a_counter_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()  # it is there when it is looked for, and cannot be read
    (tmp_path / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    assert CountedOutside(tmp_path / "none", tmp_path / "gone", tmp_path / "cpu.stat").cpu_seconds() == 2.5
