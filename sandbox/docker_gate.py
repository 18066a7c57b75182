"""The gate on an engine that cannot mount a socket of this machine: the proxy runs in a container beside the sandbox.

The sandbox itself has no network. It shares a volume with that container, read-only, and in it the socket. That container
lives no longer than the command that may reach the package index, and runs nothing but our proxy.
"""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import docker
from docker.errors import DockerException, NotFound
from docker.models.containers import Container
from docker.types import Mount
from requests.exceptions import RequestException

from ml_agent.sandbox.docker_copy import copy_in
from ml_agent.sandbox.docker_exec import run_short
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.gate.way import FIND_PYTHON, GATE_INSIDE, RELAY, SOCKET, index_hosts
from ml_agent.sandbox.pip_settings import PipSettings

CODE = "/opt/ml-agent-gate"
"""Where the proxy's modules lie in its container."""
START = b"from ml_agent.sandbox.gate.proxy import main\nmain()\n"
SERVED = ("__init__.py", "gate/__init__.py", "gate/hello.py", "gate/proxy.py", f"gate/{RELAY}")
"""Files of this package that it needs."""
READY = f"for turn in {{1..300}}; do [ -e {CODE}/ready ] && exit; /bin/sleep 0.1; done; exit 1"
"""Half a minute."""
GRACE_SECONDS = 60.0
"""How much longer than the command the proxy may live, should we be killed meanwhile."""
MEMORY_BYTES = 256 * 1024**2
PIDS = 1024


class EngineGate:
    """A volume, made at once, and a container beside it while `opened` is entered; both carry `marks`."""

    def __init__(self, client: docker.DockerClient, image: str, marks: Mapping[str, str]) -> None:
        """`image` is what the sandbox starts from: no command could change its Python. Raises docker's errors."""
        self._client, self._image, self._marks = client, image, dict(marks)
        self._volume = client.volumes.create(f"ml-agent-gate-{uuid.uuid4().hex}", labels=self._marks)

    def mount(self, read_only: bool = True) -> Mount:
        """The volume, where commands look for the gate."""
        return Mount(GATE_INSIDE, self._volume.name, type="volume", read_only=read_only)

    @contextmanager
    def opened(self, settings: PipSettings, seconds: float) -> Iterator[None]:
        """Let the sandbox reach the package index of these settings, for the length of the block.

        Raises docker's errors; SandboxLostError where the proxy does not begin, or does not end.
        """
        container = self._create(settings, seconds)
        try:
            copy_in(_code(), container)
            container.start()
            self._await(container)
            yield
        finally:
            _remove(container)

    def close(self) -> None:
        """Remove the volume; repeatable. One that is still in use is left to the next clean-up."""
        with suppress(DockerException, RequestException):
            self._volume.remove()

    def _create(self, settings: PipSettings, seconds: float) -> Container:
        hosts = sorted(f"{name}:{port}" for name, port in index_hosts(settings))
        run = f'exec "$({FIND_PYTHON})" -I -S {CODE} "$@"'
        limit = f"{seconds + GRACE_SECONDS:.0f}"
        return self._client.containers.create(
            self._image,
            ["/bin/bash", "-c", run, "gate", limit, f"{GATE_INSIDE}/{SOCKET}", *hosts],
            user="0:0",
            network_mode="bridge",
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            mem_limit=MEMORY_BYTES,
            pids_limit=PIDS,
            environment=dict(settings.proxies),
            labels=self._marks,
            mounts=[self.mount(read_only=False)],
        )

    def _await(self, container: Container) -> None:
        """Until the proxy listens."""
        if run_short(self._client, str(container.id), ["/bin/bash", "-c", READY], "0:0").exit_code != 0:
            said = container.logs(tail=5).decode("utf-8", "replace").strip()
            raise SandboxLostError(f"the proxy to the package index does not start: {said[-200:]}")


def _code() -> dict[str, bytes]:
    here = Path(__file__).parent
    parts = {f"{CODE}/ml_agent/sandbox/{name}": (here / name).read_bytes() for name in SERVED}
    return {f"{CODE}/__main__.py": START, f"{CODE}/ml_agent/__init__.py": b""} | parts


def _remove(container: Container) -> None:
    """End the proxy. Raises SandboxLostError: a gate that stays open is no gate."""
    try:
        container.remove(force=True, v=True)
    except NotFound:
        return
    except (DockerException, RequestException) as error:
        raise SandboxLostError(f"the proxy to the package index does not stop: {error}") from error
