"""The network of a container, and what of the host's settings its commands may know.

A container has no network at all while it is set up: install steps reach the package index through a socket of ours. Where
the engine cannot mount a socket of this machine (another machine's, or one in a virtual machine), install steps get the
engine's bridge instead, which also leads elsewhere.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import docker
from docker.models.containers import Container
from docker.types import Mount

from sandbox.contract import Command, Policy
from sandbox.docker_engine import is_local, shares_folders
from sandbox.gate.way import GATE_INSIDE, gate_open, gate_variables, make_gate
from sandbox.pip_settings import CERTIFICATE_NAMES, DEFAULT_BUNDLE, PipSettings, read_pip_settings

HOST_FOLDERS = "/mnt/host"


class ContainerNetwork:
    """By phase: install steps get the package index and its settings, other commands only what the policy says."""

    def __init__(self, policy: Policy, client: docker.DockerClient) -> None:
        self._policy, self._client = policy, client
        self._pip = read_pip_settings() if policy.network != "none" else PipSettings()
        self._gate: Path | None = None
        if policy.network == "install" and shares_folders(client):
            self._gate = make_gate()
        self._online = self.mode == "bridge"

    @property
    def mode(self) -> str:
        """What a container is created with."""
        return "none" if self._policy.network == "none" or self._gate is not None else "bridge"

    def began(self) -> None:
        """A container was started; it is plugged in as it was created."""
        self._online = self.mode == "bridge"

    def close(self) -> None:
        """Remove what lies on this host; repeatable."""
        if self._gate is not None:
            shutil.rmtree(self._gate, ignore_errors=True)

    def wanted(self, command: Command) -> bool:
        """Whether the policy gives the network to a command."""
        return self._policy.network == "full" or (self._policy.network == "install" and command.install)

    def through_gate(self, command: Command) -> bool:
        """Whether a command gets the package index and nothing else."""
        return self._gate is not None and self.wanted(command)

    @contextmanager
    def way_out(self, container: Container, command: Command) -> Iterator[None]:
        """The network of a command while it runs. Raises docker's errors."""
        if self._gate is not None and self.through_gate(command):
            with gate_open(self._gate, self._pip):
                yield
            return
        self._switch(container, self.wanted(command))
        yield

    def _switch(self, container: Container, online: bool) -> None:
        """Plug the running container in or out."""
        if online == self._online or self.mode == "none":
            return
        network = self._client.networks.get("bridge")
        if online:
            network.connect(container)
        else:
            network.disconnect(container)
        self._online = online

    def mounts(self) -> list[Mount]:
        """Package folders, certificates and the gate; read-only, and only where the engine shares our files."""
        if self._policy.network == "none" or not is_local(self._client):
            return []
        pairs = [(inside, str(folder)) for folder, inside in self._folders().items()]
        if self._pip.certificates is not None:
            pairs.append((str(DEFAULT_BUNDLE), str(self._pip.certificates.resolve())))
        if self._gate is not None:
            pairs.append((GATE_INSIDE, str(self._gate)))
        return [Mount(inside, path, type="bind", read_only=True) for inside, path in pairs]

    def environment(self, command: Command) -> dict[str, str]:
        """Index settings for install steps, certificates for whatever has the network."""
        if not self.wanted(command):
            return {}
        folders = self._folders()
        host = self._pip.environment(lambda folder: folders[folder]) if command.install else {}
        if self._pip.certificates is not None:
            host |= dict.fromkeys(CERTIFICATE_NAMES, str(DEFAULT_BUNDLE))
        return host | (gate_variables() if self.through_gate(command) else {})

    def _folders(self) -> Mapping[Path, str]:
        return {folder: f"{HOST_FOLDERS}/{number}" for number, folder in enumerate(self._pip.folders())}
