"""What a run shows of itself while it goes on."""

import io
import time
from collections.abc import Iterator

import pytest

from ml_agent import progress
from ml_agent.progress import Progress
from ml_agent.terminal import Terminal
from tests.processor_time import WAIT


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> Iterator[float]:
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    yield 0.05


def test_a_long_phase_is_told_where_no_spinner_is_seen(patience: float) -> None:
    screen = io.StringIO()
    shown = Progress(Terminal(file=screen, width=200))
    shown.on_phase("plan", "enter", "")
    until = time.monotonic() + WAIT
    while "still" not in screen.getvalue() and time.monotonic() < until:
        time.sleep(patience)
    shown.on_phase("plan", "leave", "found it")
    lines = screen.getvalue().splitlines()
    assert lines[0].startswith("plan       still reading the repository (") and lines[1].startswith(
        "plan       found it"
    )
    assert len(lines) == 2


def test_a_long_phase_names_the_last_line_of_what_runs(patience: float) -> None:
    screen = io.StringIO()
    shown = Progress(Terminal(file=screen, width=200))
    shown.on_phase("execute", "enter", "")
    shown.on_output("copying 3.0 GB into the sandbox\n")
    until = time.monotonic() + WAIT
    while "still" not in screen.getvalue() and time.monotonic() < until:
        time.sleep(patience)
    shown.close()
    assert screen.getvalue().startswith("execute    still setting up and running it: copying 3.0 GB into the sandbox (")
