"""What a program printed last is not lost where our threads come late to read it."""

import time
from queue import Queue
from typing import Any

import pytest

from sandbox.contract import Command
from tests.sandbox.conftest import Make


class LateQueue(Queue[Any]):
    """A queue as on a busy machine: what is put into it comes half a second later."""

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Put, later."""
        time.sleep(0.5)
        super().put(item, block, timeout)


def test_what_comes_late_is_read(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = make("process")
    monkeypatch.setattr("sandbox.running_local.Queue", LateQueue)
    response = sandbox.run(Command(text="echo out; echo err >&2; exit 3", timeout=20, probe_seconds=2.0))
    assert (response.ended, response.exit_code) == ("exited", 3)
    assert (response.stdout.strip(), response.stderr.strip()) == ("out", "err")
