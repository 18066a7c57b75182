"""Cancelling ends a program that says nothing, whoever cancels: a caller, a task, a coding agent, a signal."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import ml_agent
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from tests.processor_time import WAIT

SOON = 60.0
"""Seconds until it must be gone; by itself it takes ten times as long."""
SILENT = (
    "import argparse, time\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--lr", type=float, default=0.1, help="learning rate")\n'
    "parser.parse_args()\n"
    'print("epoch 1 loss 0.5", flush=True)\n'
    "time.sleep(600)\n"
)
TASK = "fit the model with learning rate 0.25"
FULL: dict[str, Any] = {"sandbox": "local", "unisolated": True, "run": "full", "network": "none"}


class Program:
    """A repository whose script prints once and then sleeps; its name is found among the machine's processes."""

    def __init__(self, root: Path) -> None:
        self.root, self.script = root, f"fit_{uuid4().hex[:12]}.py"
        root.mkdir()
        (root / self.script).write_text(SILENT)
        (root / "README.md").write_text(f"# Fit\n\nFit the model:\n\n```bash\npython {self.script} --lr 0.5\n```\n")

    def processes(self) -> list[int]:
        """Those that run it."""
        name, found = self.script.encode(), []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = entry.read_bytes().split(b"\0")
            except OSError:  # it has ended
                continue
            if words[0].rpartition(b"/")[2].startswith(b"python") and name in words:
                found.append(int(entry.parent.name))
        return found

    def wait_until(self, runs: bool, seconds: float) -> None:
        """Until it runs, or runs no more."""
        until = time.monotonic() + seconds
        while bool(self.processes()) != runs:
            assert time.monotonic() < until, f"{'not started' if runs else 'still there'} after {seconds} s"
            time.sleep(0.05)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    """The repository; what is left of it is ended after a failed test."""
    made = Program(tmp_path / "fitting")
    yield made
    for process in made.processes():
        os.kill(process, signal.SIGKILL)


def wait_for_output(run: ml_agent.Run) -> None:
    """Until the program has printed its line."""
    for event in run:
        if event.kind == "output" and "epoch 1" in event.text:
            return


WAYS = [pytest.param("docker", marks=pytest.mark.docker), "local"]


@pytest.mark.parametrize("way", WAYS)
def test_a_run_that_is_cancelled_ends_its_silent_program(way: str, program: Program, tmp_path: Path) -> None:
    run = ml_agent.start(TASK, repo=str(program.root), out=tmp_path / "out", **{**FULL, "sandbox": way})
    wait_for_output(run)
    assert program.processes()
    began = time.monotonic()
    run.cancel()
    with pytest.raises(ml_agent.AgentError, match="cancelled"):
        run.result(timeout=SOON)
    assert time.monotonic() - began < SOON
    assert program.processes() == []


def server(root: Path) -> Any:
    """A client with a server process of its own that reads below a folder and runs programs in bubblewrap."""
    mcp = pytest.importorskip("mcp")
    if find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    parameters = mcp.StdioServerParameters(
        command="bash",
        args=[
            "-c",
            'exec "$0" -m ml_agent mcp --root "$1" 2>"$2"',
            sys.executable,
            str(root),
            str(root.parent / "said"),
        ],
        env={**os.environ, "ML_AGENT_SANDBOX": "local", "ML_AGENT_NETWORK": "none"},
    )
    return mcp.Client(parameters)


async def wait_for_progress(said: list[str]) -> None:
    """Until something was told."""
    until = time.monotonic() + WAIT
    while not said:
        assert time.monotonic() < until, "no progress was told"
        await asyncio.sleep(0.02)


def test_a_silent_program_ends_with_its_call_and_with_the_server(program: Program) -> None:
    asked = {"instruction": TASK, "repository": str(program.root), "run": "full"}
    command = {"command": f"python {program.script} --lr 1", "repository": str(program.root)}

    async def talk() -> None:
        said: list[str] = []

        async def progress(_done: float, _total: float | None, message: str | None) -> None:
            said.append(message or "")

        before = set(servers())
        async with server(program.root) as client:
            (served,) = set(servers()) - before
            call = asyncio.create_task(client.call_tool("solve", asked, progress_callback=progress))
            await asyncio.to_thread(program.wait_until, True, WAIT)
            await wait_for_progress(said)
            call.cancel()
            await asyncio.to_thread(program.wait_until, False, SOON)
            assert (await client.list_tools()).tools, "the server goes on"
            call = asyncio.create_task(client.call_tool("run_in_sandbox", command))
            await asyncio.to_thread(program.wait_until, True, WAIT)
            os.kill(served, signal.SIGTERM)
            await asyncio.to_thread(program.wait_until, False, SOON)
            call.cancel()

    asyncio.run(talk())
    assert "Traceback" not in (program.root.parent / "said").read_text()


def servers() -> list[int]:
    """Servers that this process started."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(child) for child in children if b"\0mcp\0" in Path(f"/proc/{child}/cmdline").read_bytes()]


def test_a_server_takes_its_port_and_ends_on_term_without_a_traceback() -> None:
    pytest.importorskip("mcp")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ml_agent", "mcp", "--transport", "http", "--port", str(port)]
    served = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + WAIT
    while socket.socket().connect_ex(("127.0.0.1", port)):
        assert time.monotonic() < deadline and served.poll() is None
        time.sleep(0.05)
    second = subprocess.run(command, capture_output=True, text=True, timeout=WAIT, check=False)
    assert second.returncode == 3 and second.stderr.count("\n") == 1 and str(port) in second.stderr, second.stderr
    served.send_signal(signal.SIGTERM)
    _, said = served.communicate(timeout=WAIT)
    assert "Traceback" not in said and served.returncode in (143, -signal.SIGTERM), said
