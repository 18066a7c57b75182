"""Which engine is used: DOCKER_HOST, a Docker context, another machine's over TCP."""

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.docker_engine import connect, is_local, shares_folders
from sandbox.errors import SandboxUnavailableError

SOCKET = "/var/run/docker.sock"


@pytest.fixture(autouse=True)
def own_docker_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "docker"))
    for name in ("DOCKER_HOST", "DOCKER_CONTEXT"):
        monkeypatch.delenv(name, raising=False)


def docker(*words: str) -> None:
    subprocess.run(["docker", *words], check=True, capture_output=True, timeout=60)


def pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)


@pytest.fixture
def engine_over_tcp() -> Iterator[str]:
    """The engine as if it were on another machine: its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    caller, _ = server.accept()
                    engine = socket.socket(socket.AF_UNIX)
                    engine.connect(SOCKET)
                    for pair in ((caller, engine), (engine, caller)):
                        threading.Thread(target=pump, args=pair, daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.docker
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_engine_elsewhere_answers_and_is_given_no_folders(
    engine_over_tcp: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine_over_tcp)
    client = connect()
    assert client.version()["ApiVersion"] and not is_local(client) and not shares_folders(client)
    client.close()


@pytest.mark.docker
@pytest.mark.parametrize("chosen", ["by name", "by use"])
def test_a_context_is_used(chosen: str, engine_over_tcp: str, monkeypatch: pytest.MonkeyPatch) -> None:
    docker("context", "create", "elsewhere", "--docker", f"host={engine_over_tcp}")
    if chosen == "by name":
        monkeypatch.setenv("DOCKER_CONTEXT", "elsewhere")
        monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    else:
        docker("context", "use", "elsewhere")
    client = connect()
    assert not is_local(client) and client.ping()
    client.close()


@pytest.mark.docker
def test_the_host_comes_before_the_context_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    docker("context", "create", "elsewhere", "--docker", "host=tcp://127.0.0.1:9")
    docker("context", "use", "elsewhere")
    with pytest.raises(SandboxUnavailableError, match=r"tcp://127\.0\.0\.1:9"):
        connect()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{SOCKET}")
    client = connect()
    assert is_local(client)
    client.close()


def test_a_context_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONTEXT", "nobody")
    with pytest.raises(SandboxUnavailableError, match="no Docker context 'nobody'") as raised:
        connect()
    assert len(str(raised.value).splitlines()) == 1 and "DOCKER_CONTEXT" in os.environ
