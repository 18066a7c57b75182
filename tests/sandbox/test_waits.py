"""What watches a command, or answers for it, may itself hang: waiting for it ends, and says so."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from ml_agent.sandbox import docker_exec, running_local
from ml_agent.sandbox.contract import Limits
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.running_local import Launch, LocalRunning


def test_a_watcher_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_local, "GRACE_SECONDS", 0.5)
    (tmp_path / "work").mkdir()
    launch = Launch(
        arguments=(sys.executable, "-I", "-c", "import os, time; os.close(1); os.close(2); time.sleep(3)"),
        folder=str(tmp_path), environment={}, timeout=1.0, limits=Limits(), workspace=tmp_path / "work",
    )  # fmt: skip
    running = LocalRunning(launch)
    time.sleep(0.3)
    os.kill(running._process.pid, signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(SandboxLostError, match="did not end"):
        running.finish()
    assert time.monotonic() - began < 100


@pytest.mark.docker
@pytest.mark.parametrize("text", ["sleep 300", "while :; do echo x; sleep 0.1; done", "yes"])
def test_a_short_command_that_does_not_end_is_given_up(text: str, make: Callable[..., DockerSandbox]) -> None:
    sandbox, allowed = make("docker"), docker_exec.Allowed(seconds=60.0 if text == "yes" else 0.7)
    began = time.monotonic()
    with pytest.raises((RequestException, HTTPError)):
        docker_exec.run_short(sandbox._engine(), str(sandbox._alive().id), ["/bin/bash", "-c", text], "root", allowed)
    assert time.monotonic() - began < 50
