"""Which sandbox is taken, and what is said when there is none."""

import subprocess
import sys
from pathlib import Path

import pytest

from ml_agent.sandbox import choose as module
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Policy
from ml_agent.sandbox.errors import SandboxUnavailableError


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")


def named(name: str, unisolated: bool = False) -> tuple[str, bool]:
    sandbox = choose(name, Policy(), Path("logs"), unisolated)
    return sandbox.name, sandbox.isolated


@pytest.mark.usefixtures("no_engine")
def test_without_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        SandboxUnavailableError, match=r"no container engine answers.*no.sock.*set DOCKER_HOST"
    ) as error:
        choose("docker", Policy(), Path("logs"))
    assert "\n" not in str(error.value)
    if find_bubblewrap():
        assert named("auto") == ("bubblewrap", True)
        assert named("local") == ("bubblewrap", True)
        assert named("local", unisolated=True) == ("bubblewrap", True), "a permission is no wish"
    monkeypatch.setattr(module, "find_bubblewrap", lambda: None)
    for name in ("auto", "local"):
        with pytest.raises(SandboxUnavailableError, match=r"bubblewrap.*--unisolated") as error:
            choose(name, Policy(), Path("logs"))
        assert "\n" not in str(error.value)
        assert named(name, unisolated=True) == ("process", False)


def test_a_wrong_name() -> None:
    with pytest.raises(ValueError):
        choose("vm", Policy(), Path("logs"))


@pytest.mark.docker
def test_with_an_engine() -> None:
    assert named("auto") == ("docker", True)
    assert named("docker") == ("docker", True)


@pytest.mark.skipif(any(Path("/dev").glob("nvidia7")), reason="this machine has eight GPUs")
def test_a_gpu_that_is_not_there_is_said_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailableError, match="no such NVIDIA GPU"):
        choose("local", Policy(gpus="7"), tmp_path, unisolated=True)


def test_a_probe_that_fails_once_is_asked_again_and_one_that_never_works_says_why(tmp_path: Path) -> None:
    bwrap, count = tmp_path / "bwrap", tmp_path / "count"
    for fails, says in ((1, None), (9, "No permissions to create new namespace")):
        bwrap.write_text(
            f"#!/bin/sh\necho x >> {count}\n[ $(wc -l < {count}) -gt {fails} ] && exit 0\n"
            "echo 'No permissions to create new namespace' >&2\nexit 1\n"
        )
        bwrap.chmod(0o755)
        ask = f"import os; os.environ['PATH'] = {f'{tmp_path}:/usr/bin:/bin'!r}; from ml_agent.sandbox.bubblewrap import why_not; print(why_not())"
        done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(says)
        count.unlink()
