"""Whoever waits for a model can be stopped at once: while it is silent, while it drips, and between two tries."""

import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import ml_agent
from ml_agent.model.waiting import wait_for
from tests.processor_time import WAIT
from tests.servers.model_server import Misbehaviour, ModelServer, Response, refusal

SOON = 5.0
"""Seconds until it must be over; the server takes ten times as long."""
LONG = 50.0


def silent(_seen: Any, _answer: Any) -> Response:
    return Response(body=b"{}", delay=LONG)


def patient(_seen: Any, _answer: Any) -> Response:
    return refusal(429, "later", retry_after=str(LONG))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    (root / "fit.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"
    )
    return root


def options(server: ModelServer, repository: Path) -> dict[str, Any]:
    model = {"model": "m", "base_url": server.url, "api_key": "k"}
    return {"repo": repository, "run": "none", **model}


def wait_for_request(server: ModelServer) -> None:
    until = time.monotonic() + WAIT
    while not server.requests:
        assert time.monotonic() < until
        time.sleep(0.02)
    time.sleep(0.2)


@pytest.mark.parametrize("misbehaviour", [silent, patient])
def test_a_cancelled_run_waits_for_no_model(misbehaviour: Misbehaviour, repository: Path) -> None:
    with ModelServer(misbehaviour=misbehaviour) as server:
        run = ml_agent.start("fit with lr 0.5", **options(server, repository))
        wait_for_request(server)
        run.cancel()
        with pytest.raises(ml_agent.CancelledRunError):
            run.result(timeout=SOON)
        assert len(server.requests) == 1


def test_an_event_loop_ends_although_a_model_is_silent(repository: Path) -> None:
    async def solve(server: ModelServer) -> None:
        task = asyncio.create_task(ml_agent.asolve("fit with lr 0.5", **options(server, repository)))
        await asyncio.to_thread(wait_for_request, server)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with ModelServer(misbehaviour=silent) as server:
        began = time.monotonic()
        asyncio.run(solve(server))
        assert time.monotonic() - began < LONG / 2


def test_what_is_left_behind_does_not_keep_the_interpreter() -> None:
    code = (
        "import time\nfrom ml_agent.model.waiting import wait_for\n"
        "def stop(): raise KeyError\n"
        "try: wait_for(lambda: time.sleep(60), stop)\nexcept KeyError: print('stopped')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout == "stopped\n" and done.returncode == 0


def test_what_the_work_says_comes_through() -> None:
    def slow() -> None:
        time.sleep(0.3)
        raise TimeoutError("its own")

    looked = threading.Event()
    with pytest.raises(TimeoutError, match="its own"):
        wait_for(slow, looked.set)
    assert looked.is_set() and wait_for(lambda: 5, looked.set) == 5
