"""Ctrl-C while a program runs: it is asked to stop, then killed; what it said and how far it came is kept."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ml_agent.cli import main
from ml_agent.sandbox import supervise
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from tests.command import Started, start
from tests.ml_agent.test_terminated import nothing_is_left
from tests.processor_time import WAIT

SAVES = """
import argparse, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
args = parser.parse_args()
try:
    for epoch in range(1, 1000):
        print(f"epoch {epoch} loss {1 / epoch:.3f}", flush=True)
        time.sleep(0.1)
except KeyboardInterrupt:
    open("checkpoint.txt", "w").write("saved")
    print("saved a checkpoint")
"""
IGNORES = SAVES.replace("import argparse, time", "import argparse, signal, time").replace(
    "args =", "signal.signal(signal.SIGINT, signal.SIG_IGN)\nargs ="
)
WAYS = {
    "docker": ("--sandbox", "docker"),
    "bubblewrap": ("--sandbox", "local"),
    "process": ("--sandbox", "local", "--unisolated"),
}


def impatient() -> None:
    """Our program, which gives others little time to stop."""
    supervise.INTERRUPT_GRACE = 0.5
    main()


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize(
    ("way", "stops"),
    [pytest.param("docker", True, marks=pytest.mark.docker), ("bubblewrap", False), ("process", True)],
)
def test_ctrl_c_ends_the_program_and_the_run(way: str, stops: bool, tmp_path: Path) -> None:
    if way == "bubblewrap" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    root, out = tmp_path / "fitting", tmp_path / "out"
    root.mkdir()
    (root / "fit.py").write_text(SAVES if stops else IGNORES)
    (root / "README.md").write_text("# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n")
    command = ["solve", "fit with learning rate 0.25", "--repo", str(root), *WAYS[way]]
    command += ["--run", "full", "--network", "none", "--out", str(out), "--quiet", "--json"]
    with start(command, program=main if stops else impatient) as process:
        log = wait_for_line(out / "logs", "epoch 3 ", process)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(WAIT)
    assert time.monotonic() - began < 100
    assert (process.returncode, stdout) == (130, ""), stderr
    assert "Traceback" not in stderr and f"`ml-agent resume {out.name}`" in stderr
    text = log.read_text()
    assert text.startswith("epoch 1 loss 1.000\nepoch 2 ")
    assert ("saved a checkpoint" in text) is stops
    assert len(list((out / "logs").glob("*.log"))) <= 6, "no second draft is run"
    assert not (out / "run.json").exists() and not list(out.glob(".source-*"))
    nothing_is_left(way, out)


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    root, out = tmp_path / "fitting", tmp_path / "out"
    root.mkdir()
    waits = SAVES.replace("for epoch in", "import pathlib\n    for epoch in").replace(
        "1000)", "1 + 1000 * pathlib.Path('wait').exists())"
    )
    (root / "fit.py").write_text(waits)
    (root / "wait").write_text("x")
    (root / "README.md").write_text("# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n")
    command = ["solve", "fit with learning rate 0.25", "--repo", str(root), *WAYS["process"]]
    with start([*command, "--run", "full", "--network", "none", "--out", str(out), "--quiet"]) as process:
        wait_for_line(out / "logs", "epoch 2 ", process)
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT) == 130
    (root / "wait").unlink()
    with start(["resume", str(out), "--quiet", "--json"]) as process:
        stdout, stderr = process.communicate(WAIT)
    assert process.returncode == 0 and json.loads(stdout)["ending"] == "completed", stderr


SETS_UP = """
from setuptools import setup
import time
print("setting up", flush=True)
time.sleep(300)
setup(name="fitting")
"""


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_while_setting_up(tmp_path: Path) -> None:
    root, out = tmp_path / "fitting", tmp_path / "out"
    (root / "helper").mkdir(parents=True)
    (root / "fit.py").write_text(SAVES)
    (root / "setup.py").write_text(SETS_UP)
    (root / "requirements.txt").write_text("./helper\n")
    (root / "helper/setup.py").write_text(SETS_UP)
    (root / "README.md").write_text(
        "# Fit\n\nFit the model:\n\n```bash\npip install -r requirements.txt\npython fit.py --lr 0.5\n```\n"
    )
    command = [
        "solve",
        "fit with learning rate 0.25",
        "--repo",
        str(root),
        *WAYS["process"],
        "--run",
        "full",
        "--out",
        str(out),
    ]
    with start([*command, "--quiet"]) as process:
        deadline = time.monotonic() + WAIT
        while not list((out / "logs").glob("*.log")):
            assert time.monotonic() < deadline and process.poll() is None, process.printed()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT) == 130, process.printed()
    assert not (out / "run.json").exists()


def wait_for_line(logs: Path, line: str, process: Started) -> Path:
    """The log in which a line appears; where none does, what the process said is told."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        for log in logs.glob("*.log"):
            if line in log.read_text(errors="replace"):
                return log
        time.sleep(0.05)
    ended = process.poll()
    process.kill()
    raise AssertionError(f"nothing said {line!r}; {ended}: {process.printed()}; {sorted(logs.parent.rglob('*'))}")


GOES_ON = """
import threading, time
from ml_agent import cli
threading.Thread(target=time.sleep, args=(300,)).start()
cli.run = lambda _: cli.INTERRUPTED
cli.main()
"""


def test_a_thread_that_goes_on_does_not_hold_back_what_was_interrupted() -> None:
    assert subprocess.run([sys.executable, "-c", GOES_ON], timeout=WAIT, check=False).returncode == 130


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_in_the_first_seconds_is_one_line(tmp_path: Path) -> None:
    """At many moments. What comes before our first line is Python's own start."""
    (tmp_path / "fitting").mkdir()
    (tmp_path / "fitting/fit.py").write_text(SAVES)
    words = ["solve", "fit with lr 0.25", "--repo", "fitting", "--run", "none"]
    seen, ended = set(), False
    for moment in (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.3, 2.0, 3.0, 4.0, 6.0, 9.0, 14.0):
        if 130 in seen and (ended or moment > 1.3):
            break  # later it has ended, too; on a slow machine our first line comes later
        process = subprocess.Popen(
            [sys.executable, "-m", "ml_agent", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        time.sleep(moment)
        ended = process.poll() is not None
        process.send_signal(signal.SIGINT)
        stderr = process.communicate(timeout=WAIT)[1]
        seen.add(process.returncode)
        ours = [
            line
            for line in stderr.splitlines()
            if "ml_agent/" in line and "<module>" not in line and "finder" not in line
        ]
        assert ours == [], (moment, stderr)
        if process.returncode == 130:
            assert "Traceback" not in stderr and "interrupted" in stderr, (moment, stderr)
        else:  # before our first line, or after our last
            assert process.returncode in (0, 1, -signal.SIGINT), (moment, stderr)
    assert 130 in seen


@pytest.mark.usefixtures("ctrl_c")
def test_where_no_run_was_begun_there_is_nothing_to_resume(tmp_path: Path) -> None:
    """While the repository is brought, from a server that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WAIT)
        web = f"http://127.0.0.1:{server.getsockname()[1]}"
        addresses = {"ML_AGENT_GITHUB_WEB": web, "ML_AGENT_GITHUB_API": web}
        environment = {**os.environ, **addresses, "ML_AGENT_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-m", "ml_agent", "explain", "lab/net"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment) as process:
            connection, _ = server.accept()
            process.send_signal(signal.SIGINT)
            stderr = process.communicate(timeout=WAIT)[1]
            connection.close()
    assert process.returncode == 130 and stderr.endswith("ml-agent: interrupted\n"), stderr
    assert "resume" not in stderr
