"""An engine at ssh://, reached as Docker's own command does: by `docker system dial-stdio` through the program `ssh`.

docker-py's own way wants paramiko, does not follow the port of an alias, and loses what an exec prints.
"""

import os
import shlex
import shutil
import socket
import subprocess
import tempfile
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import docker
from docker.errors import DockerException

from ml_agent.sandbox.temporary import prefix

CONNECT_SECONDS = 10
PASSED = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "SSH_AUTH_SOCK")
"""All that `ssh` gets of our environment: where programs are, who we are, and the agent that holds the user's keys."""
IDLE_SECONDS = 10
"""How long the shared connection outlives its last use."""


class SshClient(docker.DockerClient):
    """A client that speaks to an engine through a tunnel; closed with it."""

    def __init__(self, host: str, timeout: int) -> None:
        """`host` as in DOCKER_HOST: ssh://[USER@]HOST[:PORT][/SOCKET]. Raises OSError, ValueError and docker's errors."""
        self._tunnel = SshTunnel(host)
        with ExitStack() as unmade:
            unmade.callback(self._tunnel.close)  # whatever ends us before the client is made, also an interrupt
            try:
                super().__init__(base_url=f"unix://{self._tunnel.socket}", timeout=timeout)
            except DockerException as error:
                raise OSError(self._tunnel.problem() or str(error)) from error
            unmade.pop_all()

    def close(self) -> None:
        """Close the connections and the tunnel; repeatable."""
        super().close()
        self._tunnel.close()


class SshTunnel:
    """A socket of this user's alone; whoever connects to it gets a `docker system dial-stdio` of its own."""

    def __init__(self, host: str) -> None:
        """Raises ValueError for an address without a host, FileNotFoundError where there is no `ssh`."""
        self._folder = tempfile.TemporaryDirectory(prefix=prefix("ssh"))
        self._errors = Path(self._folder.name, "errors")
        self.socket = Path(self._folder.name, "engine.sock")
        self._server = socket.socket(socket.AF_UNIX)
        self._calls: list[subprocess.Popen[bytes]] = []
        try:
            self._command = _command(host, Path(self._folder.name, "master"))
            self._server.bind(str(self.socket))
            self._server.listen()
        except BaseException:
            self.close()
            raise
        threading.Thread(target=self._serve, name="docker-ssh", daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):  # closed
            while True:
                caller, _ = self._server.accept()
                self._calls = [call for call in self._calls if call.poll() is None]
                with caller, self._errors.open("ab") as errors:
                    number = caller.fileno()
                    call = subprocess.Popen(
                        self._command, stdin=number, stdout=number, stderr=errors, env=_environment()
                    )
                    self._calls.append(call)

    def problem(self) -> str:
        """The last line on ssh's stderr."""
        with suppress(OSError):
            lines = self._errors.read_text(errors="replace").split("\n")
            return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "")
        return ""

    def close(self) -> None:
        """End the connections; repeatable."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)  # a thread that waits in accept does not hear of a close
        self._server.close()
        for call in self._calls:
            call.terminate()
        for call in self._calls:
            try:
                call.wait(timeout=CONNECT_SECONDS)
            except subprocess.TimeoutExpired:
                call.kill()
        self._calls.clear()
        self._folder.cleanup()


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in PASSED if name in os.environ}


def _command(address: str, master: Path) -> list[str]:
    program, parts = shutil.which("ssh"), urlsplit(address)
    if program is None:
        raise FileNotFoundError("there is no program ssh")
    host = (
        parts.netloc.rpartition("@")[2].removesuffix(f":{parts.port}").strip("[]")
    )  # as it is written: ssh knows aliases
    if not host:
        raise ValueError(f"no host in {address}")
    shared = ["ControlMaster=auto", f"ControlPath={master}", f"ControlPersist={IDLE_SECONDS}"]
    options = [*shared, "BatchMode=yes", f"ConnectTimeout={CONNECT_SECONDS}"]
    words = [program, *(word for option in options for word in ("-o", option))]
    words += ["-l", parts.username] if parts.username else []
    words += ["-p", str(parts.port)] if parts.port else []
    engine = ["--host", f"unix://{parts.path}"] if parts.path.strip("/") else []
    return [*words, "--", host, shlex.join(["docker", *engine, "system", "dial-stdio"])]
