"""Finds a container engine that speaks Docker's API: Docker, rootless Docker, podman."""

import hashlib
import json
import os
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Literal

import docker
from docker.errors import APIError, DockerException
from docker.types import Mount
from requests.exceptions import RequestException

from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.owner import labels
from ml_agent.sandbox.temporary import lent

TIMEOUT = 120
"""Seconds for one plain call; a commit of a large environment takes long. It does not bound exec streams."""
PING_TIMEOUT = 10
NO_SSH = "engines at ssh:// are not supported: forward the socket (`ssh -nNT -L engine.sock:/var/run/docker.sock HOST`) and set DOCKER_HOST=unix://$PWD/engine.sock"


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
            raise SandboxUnavailableError(f"the container engine at {host} does not answer: {_short(error)}") from error
    parts = about.get("Components") or [{}]
    name = "Podman" if "podman" in str(parts[0].get("Name", "")).lower() else "Docker"
    return f"{name} {about.get('Version', '')} at {host}"


def _connect() -> tuple[docker.DockerClient, str]:
    """The first engine that answers, and its address."""
    named = _of_context() or os.environ.get("DOCKER_HOST")
    problems = []
    for host in [named] if named else _sockets():
        try:
            return _answering(host), host
        except (DockerException, RequestException, OSError, ValueError) as error:
            problems.append(f"{host}: {_short(error)}")
    tried = "; ".join(problems) or "no socket found"
    raise SandboxUnavailableError(f"no container engine answers ({tried}): start Docker or set DOCKER_HOST")


def _answering(host: str) -> docker.DockerClient:
    if host.startswith("ssh://"):
        raise ValueError(NO_SSH)
    client = docker.from_env(timeout=TIMEOUT, environment={**os.environ, "DOCKER_HOST": host})
    with ExitStack() as silent:
        silent.callback(client.close)
        client.api.timeout = PING_TIMEOUT
        client.ping()
        client.api.timeout = TIMEOUT
        silent.pop_all()
    return client


def is_local(client: docker.DockerClient) -> bool:
    """Whether the engine is spoken to by a socket of this machine."""
    return str(client.api.base_url).startswith(("http+docker://localhost", "http+docker://localunixsocket"))


def _of_context() -> str:
    """The address of the context at DOCKER_CONTEXT, else (unless DOCKER_HOST is set) of the one chosen by `docker context use`; "" for the default.

    Docker's Python library looks for contexts in the working folder where there is no `config.json`.

    Raises SandboxUnavailableError where it is not there, cannot be read, or has certificates of its own.
    """
    name = os.environ.get("DOCKER_CONTEXT", "")
    if not name and not os.environ.get("DOCKER_HOST"):
        name = str(_read(_folder() / "config.json").get("currentContext", ""))
    if name in ("", "default"):
        return ""
    key = hashlib.sha256(name.encode()).hexdigest()
    try:
        host = str(_read(_folder() / "contexts/meta" / key / "meta.json")["Endpoints"]["docker"]["Host"])
    except (KeyError, TypeError) as error:
        raise SandboxUnavailableError(f"there is no Docker context {name!r}: `docker context ls` lists them") from error
    if (_folder() / "contexts/tls" / key).is_dir():
        raise SandboxUnavailableError(
            f"certificates of the Docker context {name!r} are not read: set DOCKER_HOST={host}, DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH"
        )
    return host


def _folder() -> Path:
    return Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker")


def _read(file: Path) -> dict[str, Any]:
    """A JSON object; empty where there is none."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


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
    return text.splitlines()[0][:240] if text else type(error).__name__


# Which folders of this machine a container engine can mount.

Reach = Literal["any", "some", "none"]
"""any: folders and sockets; some: folders that a virtual machine shares, no sockets; none: the engine is elsewhere."""
PROBE = "/mnt/probe"


def reach_of(client: docker.DockerClient, image: str) -> Reach:
    """What of this machine can be mounted into a container made from `image`. Raises docker's errors.

    A socket of this machine may lead elsewhere: forwarded by ssh, or mounted into the container in which we run. So an
    engine that does not tell our name and kernel is asked to mount a folder that was made for it.
    """
    if not is_local(client):
        return "none"
    about, own = client.info(), os.uname()
    if "desktop" in str(about.get("OperatingSystem", "")).lower():
        return "some"
    same = (about.get("Name"), about.get("KernelVersion")) == (own.nodename, own.release)
    return "any" if same or _mounts(client, image) else "none"


def _mounts(client: docker.DockerClient, image: str) -> bool:
    """Whether the engine finds a new folder of this machine; the container is never started."""
    with lent("probe") as folder:
        try:
            made = client.containers.create(
                image,
                ["true"],
                network_mode="none",
                labels=labels("adhoc", "sandbox"),
                mounts=[Mount(PROBE, str(folder), type="bind", read_only=True)],
            )
        except APIError:
            return False
        made.remove(force=True, v=True)
        return True
