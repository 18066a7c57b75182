"""An engine at ssh://: a real server on loopback, an alias with a port of its own, Docker's own `dial-stdio` behind it."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent.sandbox.contract import Command, Policy
from ml_agent.sandbox.docker_engine import connect, describe, is_local
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.docker_ssh import SshTunnel
from ml_agent.sandbox.errors import SandboxUnavailableError
from tests.sandbox.engines import engine_by_socket

SERVER = "/usr/sbin/sshd"
pytestmark = [pytest.mark.docker, pytest.mark.skipif(not Path(SERVER).exists(), reason="there is no ssh server here")]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def alias(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name under which the user's `ssh` knows this machine."""
    program, port = shutil.which("ssh"), free_port()
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-N", "", "-t", "ed25519", "-f", str(tmp_path / name)], check=True)
    settings = {
        "Port": str(port), "ListenAddress": "127.0.0.1", "PidFile": "none", "StrictModes": "no", "UsePAM": "no",
        "AuthorizedKeysFile": str(tmp_path / "user.pub"), "PermitRootLogin": "yes", "SetEnv": "DOCKER_HOST=",
    }  # fmt: skip
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    Path("/run/sshd").mkdir(exist_ok=True)  # where it insists on a folder for its own parts
    server = subprocess.Popen([SERVER, "-D", "-e", "-f", "/dev/null", "-h", str(tmp_path / "host"), *options])
    (tmp_path / "config").write_text(
        f"Host Elsewhere\n HostName 127.0.0.1\n Port {port}\n IdentityFile {tmp_path}/user\n"
        f" UserKnownHostsFile {tmp_path}/known\n StrictHostKeyChecking accept-new\n"
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ssh").write_text(f'#!/bin/sh\nexec {program} -F {tmp_path}/config "$@"\n')
    (tmp_path / "bin/ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin", prepend=":")
    monkeypatch.delenv("DOCKER_CONTEXT", raising=False)
    _wait(port)
    yield "Elsewhere"
    server.terminate()
    server.wait(timeout=60)


def _wait(port: int) -> None:
    for _ in range(1000):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError("the ssh server does not listen")


def test_a_command_runs_in_a_container_elsewhere(alias: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"ssh://{alias}")
    assert describe().endswith(f" at ssh://{alias}")
    client = connect()
    assert not is_local(client)
    client.close()
    sandbox = DockerSandbox(Policy(network="none", run_id="tests"), log_folder=tmp_path / "logs")
    sandbox.start()
    try:
        done = sandbox.run(Command(text="echo out; echo err >&2; yes | head -c 300000 | wc -c; exit 3"))
        assert (done.stdout, done.stderr, done.exit_code) == ("out\n300000\n", "err\n", 3)
    finally:
        sandbox.stop()


def test_the_gate_of_set_up_opens_elsewhere(alias: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"ssh://{alias}")
    sandbox = DockerSandbox(Policy(network="install", run_id="tests"), log_folder=tmp_path / "logs")
    sandbox.start()
    ask = "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('/mnt/gate/index.sock')\""
    try:
        assert [sandbox.run(Command(text=ask, install=install)).ok for install in (True, False)] == [True, False]
    finally:
        sandbox.stop()


def test_what_ssh_says_is_told(alias: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "ssh://nobody-like-this@elsewhere.invalid")
    with pytest.raises(SandboxUnavailableError, match=r"elsewhere\.invalid.*resolve hostname"):
        connect()


def without_ping(piece: bytes) -> bytes:
    """An engine that knows its version and answers no ping."""
    return piece.replace(b"/_ping", b"/_pong")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_engine_that_answers_no_ping_is_let_go(
    alias: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("tunnels")))
    with engine_by_socket(tmp_path, without_ping) as address:
        monkeypatch.setenv("DOCKER_HOST", f"ssh://{alias}{address.removeprefix('unix://')}")
        with pytest.raises(SandboxUnavailableError, match=r"404 Client Error") as raised:
            connect()
    assert list(Path(tempfile.gettempdir()).iterdir()) == [], f"a tunnel is open still after {raised.value}"


def test_a_tunnel_leaves_nothing(alias: str) -> None:
    tunnel = SshTunnel(f"ssh://{alias}")
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(tunnel.socket))
        caller.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
        assert caller.recv(100).startswith(b"HTTP/1.0 200")
    tunnel.close()
    tunnel.close()
    assert not tunnel.socket.parent.exists()


@pytest.mark.parametrize("address", ["ssh://", "ssh://user@"])
def test_an_address_without_a_host_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="no host"):
        SshTunnel(address)
