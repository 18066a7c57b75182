"""Which engine is used: DOCKER_HOST, a Docker context, another machine's over TCP."""

import os
import re
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ml_agent.sandbox.cleanup import clean
from ml_agent.sandbox.contract import Command, Policy
from ml_agent.sandbox.docker_engine import connect, describe, is_local, reach_of
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.errors import SandboxUnavailableError
from tests.sandbox.engines import SOCKET, engine_by_socket, engine_by_tcp


@pytest.fixture(autouse=True)
def own_docker_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "docker"))
    for name in ("DOCKER_HOST", "DOCKER_CONTEXT"):
        monkeypatch.delenv(name, raising=False)


def docker(*words: str) -> None:
    subprocess.run(["docker", *words], check=True, capture_output=True, timeout=300)


@pytest.fixture
def engine_over_tcp() -> Iterator[str]:
    """The engine as if it were on another machine: its address."""
    with engine_by_tcp() as address:
        yield address


def renamed(piece: bytes) -> bytes:
    """An engine of another name, which finds nothing in our temporary folders."""
    return re.sub(rb'"Name":"[^"]+"', lambda found: found[0][:8] + b"x" * (len(found[0]) - 9) + b'"', piece)


def lost_folders(piece: bytes) -> bytes:
    """What is asked for lies in folders that are not there."""
    return piece.replace(b"/tmp/", b"/tmq/")


@contextmanager
def sandbox_at(host: str, folder: Path, **policy: Any) -> Iterator[DockerSandbox]:
    """A sandbox that runs on the engine at this address."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", host)
        sandbox = DockerSandbox(Policy(**({"run_id": "tests"} | policy)), log_folder=folder / "logs")
        sandbox.start()
        try:
            yield sandbox
        finally:
            sandbox.stop()


@pytest.mark.docker
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_engine_elsewhere_answers_and_is_given_no_folders(
    engine_over_tcp: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine_over_tcp)
    with closing(connect()) as client:
        assert client.version()["ApiVersion"] and not is_local(client) and reach_of(client, "any") == "none"


@pytest.mark.docker
@pytest.mark.parametrize("chosen", ["by name", "by use"])
def test_a_context_is_used(chosen: str, engine_over_tcp: str, monkeypatch: pytest.MonkeyPatch) -> None:
    docker("context", "create", "elsewhere", "--docker", f"host={engine_over_tcp}")
    if chosen == "by name":
        monkeypatch.setenv("DOCKER_CONTEXT", "elsewhere")
        monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    else:
        docker("context", "use", "elsewhere")
    with closing(connect()) as client:
        assert not is_local(client) and client.ping()


@pytest.mark.docker
def test_the_host_comes_before_the_context_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    docker("context", "create", "elsewhere", "--docker", "host=tcp://127.0.0.1:9")
    docker("context", "use", "elsewhere")
    with pytest.raises(SandboxUnavailableError, match=r"tcp://127\.0\.0\.1:9"):
        connect()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{SOCKET}")
    with closing(connect()) as client:
        assert is_local(client)


def test_a_context_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONTEXT", "nobody")
    with pytest.raises(SandboxUnavailableError, match="no Docker context 'nobody'") as raised:
        connect()
    assert len(str(raised.value).splitlines()) == 1 and "DOCKER_CONTEXT" in os.environ


@pytest.mark.docker
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_socket_that_leads_to_another_machine_is_given_no_folders(tmp_path: Path) -> None:
    with engine_by_socket(tmp_path, lost_folders, renamed) as host, sandbox_at(host, tmp_path) as sandbox:
        assert sandbox.run(Command(text="ls -A /mnt")).stdout == ""


@pytest.mark.docker
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_certificates_are_copied_to_an_engine_elsewhere(
    engine_over_tcp: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An index may be signed by an authority that only this machine knows."""
    (tmp_path / "house.pem").write_text("of the house\n")
    monkeypatch.setenv("PIP_CERT", str(tmp_path / "house.pem"))
    with sandbox_at(engine_over_tcp, tmp_path) as sandbox:
        assert sandbox.run(Command(text="cat $PIP_CERT; id -u", install=True)).stdout == "of the house\n1000\n"


@pytest.mark.docker
@pytest.mark.slow
def test_debian_packages_are_installed_once_and_runs_upon_them_begin_clean(tmp_path: Path) -> None:
    key, left = uuid.uuid4().hex, "ls -d left $HOME/left /var/tmp/left 2>/dev/null; command -v tree"
    with sandbox_at(f"unix://{SOCKET}", tmp_path) as sandbox, closing(connect()) as client:
        sandbox.run(Command(text="touch left $HOME/left /var/tmp/left"))
        if not sandbox.install_system(("tree",)).ok:
            pytest.skip("Debian's packages cannot be had here")
        image = str(sandbox._now)
        made = client.images.get(image).id
        try:
            assert sandbox.run(Command(text=left)).stdout == "/home/agent/left\nleft\n/usr/bin/tree\n"
            sandbox.start()
            assert sandbox.install_system(("tree",), seconds=0.0).ok, "nothing is installed again"
            assert client.images.get(image).id == made
            sandbox.keep_setup(key, "kept")
            sandbox.run(Command(text="touch left $HOME/left /var/tmp/left"))
            sandbox.begin_clean()
            assert sandbox.run(Command(text=left)).stdout == "/usr/bin/tree\n"
            assert sandbox.start_with(key) == "kept"
            assert sandbox.run(Command(text=left)).stdout == "/usr/bin/tree\n"
            sandbox.stop()
            sandbox.forget_setup(key)
        finally:
            docker("rmi", "-f", image)


@pytest.mark.docker
def test_the_engine_is_told_by_name_version_and_address() -> None:
    assert re.fullmatch(rf"(Docker|Podman) \d\S* at unix://{SOCKET}", describe())


@pytest.mark.docker
def test_an_engine_that_refuses_to_clean_up_ends_no_run(tmp_path: Path) -> None:
    def refused(piece: bytes) -> bytes:
        return re.sub(rb"^DELETE (/\S+/containers/)", rb"DELETF \1", piece).replace(b"/networks?", b"/networkz?")

    run_id = uuid.uuid4().hex
    with engine_by_socket(tmp_path, refused) as host:
        try:
            with sandbox_at(host, tmp_path, run_id=run_id, network="none") as sandbox:
                assert sandbox.run(Command(text="true")).ok
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("DOCKER_HOST", host)
                assert clean(run_id=run_id).containers == 0
        finally:
            assert clean(run_id=run_id).containers == 1


@pytest.mark.docker
def test_system_packages_that_take_too_long_lose_no_sandbox(tmp_path: Path) -> None:
    with sandbox_at(f"unix://{SOCKET}", tmp_path) as sandbox:
        response = sandbox.install_system(("tree",), seconds=0.05)
        assert response.ended == "timeout" and response.error_lines[-1].startswith(
            "the system packages tree were not installed"
        )
        assert sandbox.run(Command(text="true")).ok
