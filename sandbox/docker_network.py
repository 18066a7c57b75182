"""The network of a container, and what of the host's settings its commands may know.

A container has no network at all, but with `--network full`. While it is set up, install steps reach the package index through
a socket of ours: one of this machine that is mounted, or, where the engine cannot mount it (another machine's, or one in a
virtual machine), one of a container beside it.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import docker
from docker.models.containers import Container
from docker.types import Mount

from ml_agent.sandbox.contract import Command, Policy
from ml_agent.sandbox.docker_copy import copy_in
from ml_agent.sandbox.docker_gate import EngineGate
from ml_agent.sandbox.docker_reach import reach_of
from ml_agent.sandbox.environment import HOST_FOLDERS, VENV, WORKSPACE
from ml_agent.sandbox.gate.way import GATE_INSIDE, gate_open, gate_variables
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
