"""The network of a container, and what of the host's settings its commands may know.

A container has no network at all, but with `--network full`. While it is set up, install steps reach the package index through
a socket of ours: one of this machine that is mounted, or, where the engine cannot mount it (another machine's, or one in a
virtual machine), one of a container beside it.
"""

import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import docker
from docker.errors import DockerException, NotFound
from docker.models.containers import Container
from docker.types import Mount
from requests.exceptions import RequestException

from ml_agent.sandbox.contract import Command, Policy
from ml_agent.sandbox.docker_engine import reach_of
from ml_agent.sandbox.docker_exec import copy_in, run_short
from ml_agent.sandbox.environment import HOST_FOLDERS, VENV, WORKSPACE
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.gate.way import FIND_PYTHON, GATE_INSIDE, RELAY, SOCKET, gate_open, gate_variables, index_hosts
from ml_agent.sandbox.owner import labels
from ml_agent.sandbox.pip_settings import CERTIFICATE_NAMES, DEFAULT_BUNDLE, PipSettings, read_pip_settings
from ml_agent.sandbox.temporary import prefix, remove
from ml_agent.sandbox.uv_program import uv_variables


class ContainerNetwork:
    """By phase: install steps get the package index and its settings, other commands only what the policy says."""

    def __init__(self, policy: Policy, client: docker.DockerClient, image: str) -> None:
        """For containers that are made from `image`, or from what became of it. Raises docker's errors."""
        self._policy, self.reach = policy, reach_of(client, image)
        self._pip = read_pip_settings() if policy.network != "none" else PipSettings()
        if self.reach == "none":
            self._pip = self._pip.elsewhere()
        self._gate: Path | None = None
        self._engine_gate: EngineGate | None = None
        if policy.network == "install" and self.reach == "any":
            self._gate = Path(tempfile.mkdtemp(prefix=prefix("gate")))
        elif policy.network == "install":
            self._engine_gate = EngineGate(client, image, labels(policy.run_id, "gate"))

    @property
    def mode(self) -> str:
        """What a container is created with."""
        return "bridge" if self._policy.network == "full" else "none"

    def began(self, container: Container) -> None:
        """A container was started. Raises docker's errors."""
        if self.reach == "none" and self._policy.network != "none" and self._pip.certificates is not None:
            copy_in({str(DEFAULT_BUNDLE): self._pip.certificates.read_bytes()}, container)

    def close(self) -> None:
        """Remove what lies on this host and what the engine holds, after the container; repeatable."""
        if self._gate is not None:
            remove(self._gate)
        if self._engine_gate is not None:
            self._engine_gate.close()

    @contextmanager
    def way_out(self, command: Command) -> Iterator[None]:
        """The network of a command while it runs. Raises docker's errors and SandboxLostError."""
        if not self._policy.gives_index(command):
            yield
        elif self._engine_gate is not None:
            with self._engine_gate.opened(self._pip, command.timeout):
                yield
        elif self._gate is not None:
            with gate_open(self._gate, self._pip):
                yield

    def installer(self) -> dict[str, str]:
        """What the installer is told."""
        folders = self._folders()
        known = uv_variables(self._pip, lambda folder: folders[folder], f"{WORKSPACE}/uv")
        return known | {"VIRTUAL_ENV": VENV}

    def mounts(self, gate: bool = True) -> list[Mount]:
        """The gate, for the installer; package folders and certificates where the engine shares our files. Read-only."""
        own = [self._engine_gate.mount()] if gate and self._engine_gate is not None else []
        if self._policy.network == "none" or self.reach == "none":
            return own
        pairs = [(inside, str(folder)) for folder, inside in self._folders().items()]
        if self._pip.certificates is not None:
            pairs.append((str(DEFAULT_BUNDLE), str(self._pip.certificates.resolve())))
        if gate and self._gate is not None:
            pairs.append((GATE_INSIDE, str(self._gate)))
        return [*own, *(Mount(inside, path, type="bind", read_only=True) for inside, path in pairs)]

    def environment(self, command: Command) -> dict[str, str]:
        """Index settings for install steps, certificates for whatever has the network."""
        if not self._policy.gives_network(command):
            return {}
        folders = self._folders()
        host = self._pip.environment(lambda folder: folders[folder]) if command.install else {}
        if self._pip.certificates is not None:
            host |= dict.fromkeys(CERTIFICATE_NAMES, str(DEFAULT_BUNDLE))
        return host | (gate_variables() if self._policy.gives_index(command) else {})

    def _folders(self) -> Mapping[Path, str]:
        return {folder: f"{HOST_FOLDERS}/{number}" for number, folder in enumerate(self._pip.folders())}


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
            raise SandboxLostError(f"the proxy through which packages are downloaded does not start: {said[-200:]}")


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
        raise SandboxLostError(
            f"the proxy through which packages are downloaded cannot be stopped ({error}): `ml-agent clean` removes it"
        ) from error
