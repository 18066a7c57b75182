"""Finds a container engine that speaks Docker's API: Docker, rootless Docker, podman."""

import os
from contextlib import ExitStack, closing
from pathlib import Path

import docker
from docker.errors import DockerException
from requests.exceptions import RequestException

from ml_agent.sandbox.docker_context import Endpoint, endpoint_in_use
from ml_agent.sandbox.docker_ssh import SshClient
from ml_agent.sandbox.errors import SandboxUnavailableError

TIMEOUT = 120
"""Seconds for one plain call; a commit of a large environment takes long. It does not bound exec streams."""
PING_TIMEOUT = 10


def connect() -> docker.DockerClient:
    """A client for the engine at DOCKER_HOST or of the Docker context in use, else for the first well-known socket that answers.

    As for Docker's own command: DOCKER_CONTEXT before DOCKER_HOST, that before the context chosen by `docker context use`.
    Raises SandboxUnavailableError with one line that says what was tried and what to do.
    """
    return _connect()[0]


def describe() -> str:
    """The engine that `connect` finds: name, version and address. Raises SandboxUnavailableError."""
    client, host = _connect()
    with closing(client):
        try:
            about = client.version()
        except (DockerException, RequestException) as error:
            raise SandboxUnavailableError(f"{host}: {_short(error)}") from error
    parts = about.get("Components") or [{}]
    name = "Podman" if "podman" in str(parts[0].get("Name", "")).lower() else "Docker"
    return f"{name} {about.get('Version', '')} at {host}"


def _connect() -> tuple[docker.DockerClient, str]:
    """The first engine that answers, and its address."""
    context = endpoint_in_use()
    named = context.host if context else os.environ.get("DOCKER_HOST")
    problems = []
    for host in [named] if named else _sockets():
        try:
            return _answering(host, context), host
        except (DockerException, RequestException, OSError, ValueError) as error:
            problems.append(f"{host}: {_short(error)}")
    tried = "; ".join(problems) or "no socket found"
    raise SandboxUnavailableError(f"no container engine answers ({tried}): start Docker or set DOCKER_HOST")


def _answering(host: str, context: Endpoint | None) -> docker.DockerClient:
    client = _client(host, context)
    with ExitStack() as silent:
        silent.callback(client.close)
        client.api.timeout = PING_TIMEOUT
        client.ping()
        client.api.timeout = TIMEOUT
        silent.pop_all()
    return client


def _client(host: str, context: Endpoint | None) -> docker.DockerClient:
    if host.startswith("ssh://"):
        return SshClient(host, TIMEOUT)
    if context is not None:
        return docker.DockerClient(base_url=host, tls=context.tls or False, timeout=TIMEOUT)
    return docker.from_env(timeout=TIMEOUT, environment={**os.environ, "DOCKER_HOST": host})


def is_local(client: docker.DockerClient) -> bool:
    """Whether the engine is spoken to by a socket of this machine."""
    by_socket = str(client.api.base_url).startswith(("http+docker://localhost", "http+docker://localunixsocket"))
    return by_socket and not isinstance(client, SshClient)


def _sockets() -> list[str]:
    runtime = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    places = [
        Path("/var/run/docker.sock"),
        Path(runtime) / "docker.sock",
        Path.home() / ".docker/run/docker.sock",
        Path(runtime) / "podman/podman.sock",
        Path("/run/podman/podman.sock"),
    ]
    return [f"unix://{place}" for place in places if place.is_socket()]


def _short(error: Exception) -> str:
    text = str(error)
    if "Permission denied" in text:
        return "permission denied"
    if "Connection refused" in text:
        return "connection refused"
    if "No such file" in text or "FileNotFoundError" in text:
        return "no such socket"
    return text.splitlines()[0][:120] if text else type(error).__name__
