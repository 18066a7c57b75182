"""`kill` and `timeout` end a run like an error: the sandbox is removed on the way out."""

import os
import pty
import signal
import time
from pathlib import Path

import docker
import pytest

from ml_agent.sandbox.local_place import places
from ml_agent.sandbox.owner import RUN
from tests.command import Started, start
from tests.processor_time import WAIT

PROGRAM = (
    "import argparse, time\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--lr", type=float, default=0.1, help="learning rate")\n'
    "parser.parse_args()\n"
    'print("epoch 1 loss 0.5", flush=True)\n'
    "time.sleep(300)\n"
)


@pytest.fixture
def fitting(tmp_path: Path) -> Path:
    root = tmp_path / "fitting"
    root.mkdir()
    (root / "fit.py").write_text(PROGRAM)
    (root / "README.md").write_text("# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n")
    return root


def solving(root: Path, way: str, out: Path) -> list[str]:
    command = ["solve", "fit with learning rate 0.25", "--repo", str(root), "--quiet"]
    return [*command, "--sandbox", way, "--unisolated", "--run", "full", "--network", "none", "--out", str(out)]


def wait_for_output(process: Started, out: Path) -> None:
    deadline = time.monotonic() + WAIT
    while not any("epoch 1" in log.read_text() for log in (out / "logs").glob("*.log")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)


def nothing_is_left(way: str, out: Path) -> None:
    assert not places().is_dir() or list(places().iterdir()) == []
    if way == "docker":
        client = docker.from_env()
        assert client.containers.list(all=True, filters={"label": f"{RUN}={out.name}"}, ignore_removed=True) == []
        client.close()


@pytest.mark.parametrize(
    ("way", "number"),
    [pytest.param("docker", signal.SIGTERM, marks=pytest.mark.docker), ("local", signal.SIGHUP)],
)
def test_nothing_is_left_after_an_order_to_end(way: str, number: int, fitting: Path) -> None:
    out = fitting.parent / f"ended-{number}-{way}-{os.getpid()}"
    with start(solving(fitting, way, out)) as process:
        wait_for_output(process, out)
        for _ in range(2 if number == signal.SIGHUP else 1):  # the shell and the system both tell of a closed terminal
            process.send_signal(number)
        assert process.wait(WAIT) == 128 + number
    nothing_is_left(way, out)


def test_nothing_is_left_where_the_terminal_is_closed_and_the_run_goes_on(fitting: Path) -> None:
    out = fitting.parent / f"hung-up-{os.getpid()}"
    command = solving(fitting, "local", out)
    kept, terminal = pty.openpty()
    with start([word for word in command if word != "--quiet"], terminal=terminal) as process:
        os.close(terminal)
        wait_for_output(process, out)
        os.close(kept)
        assert process.wait(WAIT) == 129
    nothing_is_left("local", out)
    for log in (out / "logs").glob("*.log"):
        log.unlink()
    with start(["resume", str(out), "--quiet"]) as again:
        wait_for_output(again, out)
        again.send_signal(signal.SIGTERM)
        assert again.wait(WAIT) == 143
