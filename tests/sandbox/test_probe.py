"""Started is said of a program that was seen at work, and of no other."""

import pytest

from ml_agent.sandbox.contract import Command, Response, Sandbox
from ml_agent.sandbox.supervise import Probe

TRAINING = """
import time
for epoch in range(1, 1000):
    print(f"epoch {epoch} loss {1 / epoch:.3f}", flush=True)
    time.sleep(0.1)
"""
BUSY = """
print("training", flush=True)
x = 0
while True:
    x += 1
"""
SILENT_WRITER = """
import time
n = 0
while True:
    n += 1
    open("checkpoint.bin", "wb").write(b"x" * 1000)
    end = time.time() + 0.2
    while time.time() < end: pass
"""
SLOW_IMPORT = """
import sys, types, time, warnings
warnings.warn_explicit("deprecated", FutureWarning, "/opt/venv/lib/python3.11/site-packages/lib/__init__.py", 3)
print("2024-01-01 00:00:00.000000: I tensorflow/core/platform/cpu_feature_guard.cc:182] This TensorFlow binary", file=sys.stderr)
while True: pass
"""
FAILS_SOON = """
print("epoch 1 loss 0.5", flush=True)
import time; time.sleep(0.3)
raise ValueError("diverged")
"""
ENDS_SOON = """
print("epoch 1 loss 0.5", flush=True)
"""
DOWNLOADS = """
import time, sys
for n in range(2000):
    sys.stderr.write(f"\\r {n}%|##   | {n}.1M/200M [00:01<00:09, 12.3MB/s]"); sys.stderr.flush()
    time.sleep(0.1)
"""
CASES = {
    "training": (TRAINING, True),
    "busy after a word": (BUSY, True),
    "writes a file": (SILENT_WRITER, True),
    "prints and sleeps": ("import time\nprint('start', flush=True)\ntime.sleep(600)", False),
    "sleeps": ("import time\ntime.sleep(600)", False),
    "hangs busily without a word": ("while True: pass", False),
    "imports slowly": (SLOW_IMPORT, False),
    "downloads": (DOWNLOADS, False),
}


WINDOW = 0.5


def probe(sandbox: Sandbox, code: str, timeout: float = 60.0) -> Response:
    write(sandbox, code)
    return sandbox.run(Command(text="python main.py", timeout=timeout, probe_seconds=WINDOW))


def write(sandbox: Sandbox, code: str) -> None:
    sandbox.run(Command(text=f"rm -f checkpoint.bin; cat > main.py <<'END'\n{code}\nEND", timeout=20))


LONG = ("sleeps", "imports slowly", "downloads")
"""Cases that are waited out and differ from another by what was printed alone."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else []) for name in CASES])
def test_started_is_seen_at_work(name: str, started_in: Sandbox) -> None:
    code, started = CASES[name]
    response = probe(started_in, code, timeout=60.0 if started else 1.5)
    assert response.started is started
    assert response.ended == ("probe" if started else "timeout")
    assert response.ok is False


def test_the_last_progress_is_kept(started_in: Sandbox) -> None:
    response = probe(started_in, TRAINING)
    assert response.seconds < 30
    assert response.progress[-1].startswith("epoch ") and len(response.progress) <= 5
    assert response.error_lines == ()


def test_an_early_end_is_what_it_is(started_in: Sandbox) -> None:
    failed = probe(started_in, FAILS_SOON)
    assert (failed.ended, failed.exit_code, failed.started) == ("exited", 1, False)
    assert failed.error_lines[-1] == "ValueError: diverged"
    ended = probe(started_in, ENDS_SOON)
    assert ended.ok and ended.started


def test_a_time_limit_says_whether_it_was_at_work(started_in: Sandbox) -> None:
    write(started_in, TRAINING)
    response = started_in.run(Command(text="python main.py", timeout=2))
    assert response.ended == "timeout" and response.started


@pytest.fixture(scope="module")
def started_in(shared: Sandbox) -> Sandbox:
    return shared


class Clock:
    def __init__(self) -> None:
        self.now = 0.0
        self.cpu: float | None = 0.0
        self.written = False


def make(clock: Clock, window: float = 10.0) -> Probe:
    return Probe(window, lambda: clock.now, lambda: clock.cpu, lambda: clock.written)


def test_the_window_begins_anew_after_a_download() -> None:
    clock = Clock()
    watched = make(clock)
    watched.saw(["loading the model"])
    clock.now, clock.cpu = 9.0, 5.0
    watched.saw([" 40%|####  | 40.0M/100M [00:02<00:03, 20.1MB/s]"])
    clock.now, clock.cpu = 11.0, 7.0
    assert not watched.due()
    clock.now, clock.cpu = 19.5, 15.0
    assert watched.due()


def test_a_traceback_is_no_start() -> None:
    clock = Clock()
    watched = make(clock)
    watched.saw(["epoch 1", "Traceback (most recent call last):"])
    clock.now, clock.cpu = 20.0, 20.0
    assert not watched.due()


def test_output_counts_where_the_processor_time_is_unknown() -> None:
    clock = Clock()
    clock.cpu = None
    watched = make(clock)
    watched.saw(["epoch 1"])
    clock.now = 10.5
    assert not watched.due()
    watched.saw(["epoch 2"])
    clock.now = 11.0
    assert watched.due()


def test_a_written_file_is_a_beginning() -> None:
    clock = Clock()
    watched = make(clock)
    clock.now = 3.0
    assert not watched.due()
    clock.written, clock.now = True, 6.0
    assert not watched.due()
    clock.now, clock.cpu = 16.5, 8.0
    assert watched.due()


def test_without_a_window_nothing_is_ended() -> None:
    clock = Clock()
    watched = Probe(None, lambda: clock.now, lambda: clock.cpu, lambda: True)
    watched.saw(["epoch 1"])
    clock.now, clock.cpu = 1000.0, 900.0
    assert not watched.due()
    assert watched.at_work()
