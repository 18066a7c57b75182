"""What a program printed last is not lost where our threads come late to read it, and none outlives an error of ours."""

import shutil
import time
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from ml_agent.sandbox.contract import Command
from tests.sandbox.conftest import Make


class LateQueue(Queue[Any]):
    """A queue as on a busy machine: what is put into it comes half a second later."""

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Put, later."""
        time.sleep(0.5)
        super().put(item, block, timeout)


def test_what_comes_late_is_read(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = make("process")
    monkeypatch.setattr("ml_agent.sandbox.running_local.Queue", LateQueue)
    response = sandbox.run(Command(text="echo out; echo err >&2; exit 3", timeout=20, probe_seconds=2.0))
    assert (response.ended, response.exit_code) == ("exited", 3)
    assert (response.stdout.strip(), response.stderr.strip()) == ("out", "err")


def test_a_command_whose_output_cannot_be_kept_is_ended(make: Make, tmp_path: Path) -> None:
    sandbox = make("process")
    shutil.rmtree(tmp_path / "logs")
    word = f"sleep 9{time.time_ns() % 10**8}"
    with pytest.raises(FileNotFoundError):
        sandbox.run(Command(text=f"{word} & {word}", timeout=300))
    time.sleep(0.7)  # one that was not ended would have begun by now
    assert not any(word.split() == words[:2] for words in map(_words, Path("/proc").glob("[0-9]*")))


def _words(process: Path) -> list[str]:
    try:
        return (process / "cmdline").read_text().split("\0")
    except OSError:
        return []
