"""`kill` and `timeout` end a run like an error: the sandbox is removed on the way out."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import docker
import pytest

from sandbox.local_place import places
from sandbox.owner import RUN
from tests.command import start
from tests.processor_time import WAIT

PROGRAM = (
    "import argparse, time\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--lr", type=float, default=0.1, help="learning rate")\n'
    "parser.parse_args()\n"
    'print("epoch 1 loss 0.5", flush=True)\n'
    "time.sleep(300)\n"
)


@pytest.mark.parametrize("way", [pytest.param("docker", marks=pytest.mark.docker), "local"])
def test_nothing_is_left_after_term(way: str, tmp_path: Path) -> None:
    root, out = tmp_path / "fitting", tmp_path / f"term-{way}-{os.getpid()}"
    root.mkdir()
    (root / "fit.py").write_text(PROGRAM)
    (root / "README.md").write_text("# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n")
    command = ["solve", "fit with learning rate 0.25", "--repo", str(root), "--quiet"]
    command += ["--sandbox", way, "--unisolated", "--run", "full", "--network", "none", "--out", str(out)]
    with start(command) as process:
        deadline = time.monotonic() + WAIT
        while not any("epoch 1" in log.read_text() for log in (out / "logs").glob("*.log")):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT) == 143
    assert not places().is_dir() or list(places().iterdir()) == []
    if way == "docker":
        client = docker.from_env()
        assert client.containers.list(all=True, filters={"label": f"{RUN}={out.name}"}) == []
        client.close()


SWALLOWS = """
import os, signal, sys, time
from ml_agent import cli
class Dies:
    def __del__(self):
        os.kill(os.getpid(), signal.{signal})
        time.sleep(0.01)
def run(arguments):
    {before}
    Dies()
    time.sleep(20)
cli.run = run
cli.main()
"""


@pytest.mark.parametrize(
    ("number", "before", "code"),
    [("SIGTERM", "pass", 143), ("SIGINT", "signal.signal(signal.SIGINT, signal.default_int_handler)", -signal.SIGINT)],
)
def test_an_order_to_end_that_python_swallows_is_obeyed(number: str, before: str, code: int) -> None:
    """Where an object is deleted, or a callback of the collector runs, what a handler raises is ignored."""
    program = [sys.executable, "-c", SWALLOWS.format(signal=number, before=before)]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=WAIT, check=False)
    assert ended.returncode == code and "ignored" not in ended.stderr
