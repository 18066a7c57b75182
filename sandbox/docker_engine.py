"""Finds a container engine that speaks Docker's API: Docker, rootless Docker, podman."""

import os
from pathlib import Path

import docker
from docker.errors import DockerException
from requests.exceptions import RequestException

from sandbox.docker_context import Endpoint, endpoint_in_use
from sandbox.errors import SandboxUnavailableError

TIMEOUT = 120
"""Seconds for one plain call; a commit of a large environment takes long. It does not bound exec streams."""
PING_TIMEOUT = 10


def connect() -> docker.DockerClient:
    """A client for the engine at DOCKER_HOST or of the Docker context in use, else for the first well-known socket that answers.

    As for Docker's own command: DOCKER_CONTEXT before DOCKER_HOST, that before the context chosen by `docker context use`.
    Raises SandboxUnavailableError with one line that says what was tried and what to do.
    """
    context = endpoint_in_use()
    named = context.host if context else os.environ.get("DOCKER_HOST")
    problems = []
    for host in [named] if named else _sockets():
        try:
            client = _client(host, context)
            client.api.timeout = PING_TIMEOUT
            client.ping()
            client.api.timeout = TIMEOUT
        except (DockerException, RequestException, OSError, ValueError) as error:
            problems.append(f"{host}: {_short(error)}")
            continue
        return client
    tried = "; ".join(problems) or "no socket found"
    raise SandboxUnavailableError(f"no container engine answers ({tried}): start Docker or set DOCKER_HOST")


def _client(host: str, context: Endpoint | None) -> docker.DockerClient:
    by_ssh = host.startswith("ssh://")  # by the program `ssh`, which knows the user's hosts and keys
    if context is not None:
        return docker.DockerClient(base_url=host, tls=context.tls or False, timeout=TIMEOUT, use_ssh_client=by_ssh)
    environment = {**os.environ, "DOCKER_HOST": host}
    return docker.from_env(timeout=TIMEOUT, environment=environment, use_ssh_client=by_ssh)


def is_local(client: docker.DockerClient) -> bool:
    """Whether the engine runs on this machine, so that folders of ours can be mounted."""
    return str(client.api.base_url).startswith(("http+docker://localhost", "http+docker://localunixsocket"))


def shares_folders(client: docker.DockerClient) -> bool:
    """Whether any folder or socket of this machine can be mounted into a container: not where the engine is in a virtual machine."""
    return is_local(client) and "desktop" not in str(client.info().get("OperatingSystem", "")).lower()


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
