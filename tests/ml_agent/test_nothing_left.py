"""Fifty runs, ten of them ended by `kill -9` at different moments; then nothing of ours is left on the machine."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docker
import pytest

from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.cgroups import PREFIX
from ml_agent.sandbox.local_place import places
from ml_agent.sandbox.owner import RUN

RUNS, KILLED = 50, 10
AT_ONCE = 3
MARK = 8_000_000 + os.getpid()
"""Seconds that a child of the program sleeps: nobody else's sleep is that long."""
PROGRAM = f"""
import argparse, subprocess, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--seconds", type=float, default=0.0, help="how long it takes")
args = parser.parse_args()
subprocess.Popen(["setsid", "sleep", "{MARK}"])
print("epoch 1 loss 0.5", flush=True)
time.sleep(args.seconds)
"""


def commands() -> list[str]:
    """Processes of this machine, containers' included, that carry the mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return [command for command in found if str(MARK) in command]


def control_groups(pids: set[int]) -> list[Path]:
    """Control groups that one of these processes made."""
    folders = [path for path in Path("/sys/fs/cgroup").rglob(f"{PREFIX}[0-9]*") if path.is_dir()]
    return [path for path in folders if int(path.name.removeprefix(PREFIX).partition("-")[0]) in pids]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "fitting"
    root.mkdir()
    (root / "fit.py").write_text(PROGRAM)
    (root / "README.md").write_text("# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5 --seconds 1\n```\n")
    return root


@pytest.fixture
def engine() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


class Runs:
    """Runs of the command line on one repository, each with a name of its own."""

    def __init__(self, repository: Path, out: Path) -> None:
        self._repository, self._out = repository, out
        self._chance = random.Random(7)
        self.pids: set[int] = set()

    def name(self, number: int) -> str:
        """The run's id."""
        return f"soak-{os.getpid()}-{number}"

    def carry_out(self, number: int) -> int:
        """Do one run; killed ones at a moment between start-up and the program's work. Its exit status."""
        killed = number % (RUNS // KILLED) == RUNS // KILLED - 1
        ways = ("docker", "local") if find_bubblewrap() else ("docker",)
        instruction = f"fit the model with learning rate 0.25, it shall take {300 if killed else 0} seconds"
        command = [sys.executable, "-m", "ml_agent", "solve", instruction, "--repo", str(self._repository), "--quiet"]
        command += ["--sandbox", ways[number % len(ways)], "--run", "full", "--network", "none"]
        command += ["--out", str(self._out / self.name(number))]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pids.add(process.pid)
        if killed:
            self._wait(number)
            process.send_signal(signal.SIGKILL)
        return process.wait(timeout=300)

    def _wait(self, number: int) -> None:
        """Until the sandbox is made or the program runs, and a little longer."""
        logs = self._out / self.name(number) / "logs"
        wanted = self._chance.choice((0, 1, 2))
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and len(list(logs.glob("*.log"))) < wanted:
            time.sleep(0.05)
        time.sleep(self._chance.uniform(0, 1.5))


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_nothing_is_left_after_fifty_runs_ten_of_them_killed(
    repository: Path, tmp_path: Path, engine: docker.DockerClient
) -> None:
    runs = Runs(repository, tmp_path / "out")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        codes = list(pool.map(runs.carry_out, range(RUNS)))
    assert codes.count(-signal.SIGKILL) == KILLED
    assert codes.count(0) == RUNS - KILLED
    said = subprocess.run(
        [sys.executable, "-m", "ml_agent", "clean"], capture_output=True, text=True, check=True
    ).stderr
    mine = [f"{RUN}={runs.name(number)}" for number in range(RUNS)]
    left = [
        container.name
        for label in mine
        for container in engine.containers.list(all=True, filters={"label": label}, ignore_removed=True)
    ]
    left += [network.name for label in mine for network in engine.networks.list(filters={"label": label})]
    left += [volume.name for label in mine for volume in engine.volumes.list(filters={"label": label})]
    left += [image["Id"] for label in mine for image in engine.api.images(filters={"label": label})]
    assert left == [], said
    assert not places().is_dir() or list(places().iterdir()) == []
    assert commands() == []
    assert control_groups(runs.pids) == []
