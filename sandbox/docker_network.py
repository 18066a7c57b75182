"""The network of a container, switched while it runs, and what of the host's settings its commands may know."""

from collections.abc import Mapping
from pathlib import Path

import docker
from docker.models.containers import Container
from docker.types import Mount

from sandbox.contract import Command, Policy
from sandbox.docker_engine import is_local
from sandbox.pip_settings import CERTIFICATE_NAMES, DEFAULT_BUNDLE, PipSettings, read_pip_settings

HOST_FOLDERS = "/mnt/host"


class ContainerNetwork:
    """By phase: install steps get the bridge and the package index settings, other commands only what the policy says."""

    def __init__(self, policy: Policy, client: docker.DockerClient) -> None:
        self._policy, self._client = policy, client
        self._pip = read_pip_settings() if policy.network != "none" else PipSettings()
        self._online = policy.network != "none"

    @property
    def mode(self) -> str:
        """What a container is created with."""
        return "none" if self._policy.network == "none" else "bridge"

    def began(self) -> None:
        """A container was started; it is plugged in as it was created."""
        self._online = self._policy.network != "none"

    def wanted(self, command: Command) -> bool:
        """Whether the policy gives the network to a command."""
        return self._policy.network == "full" or (self._policy.network == "install" and command.install)

    def switch(self, container: Container, online: bool) -> None:
        """Plug the running container in or out. Raises docker's errors."""
        if online == self._online or self._policy.network == "none":
            return
        network = self._client.networks.get("bridge")
        if online:
            network.connect(container)
        else:
            network.disconnect(container)
        self._online = online

    def mounts(self) -> list[Mount]:
        """Package folders and certificates of the host; read-only, and only where the engine shares our files."""
        if self._policy.network == "none" or not is_local(self._client):
            return []
        pairs = [(inside, folder) for folder, inside in self._folders().items()]
        if self._pip.certificates is not None:
            pairs.append((str(DEFAULT_BUNDLE), self._pip.certificates.resolve()))
        return [Mount(inside, str(path), type="bind", read_only=True) for inside, path in pairs]

    def environment(self, command: Command) -> dict[str, str]:
        """Index settings for install steps, certificates for whatever has the network."""
        if not self.wanted(command):
            return {}
        folders = self._folders()
        host = self._pip.environment(lambda folder: folders[folder]) if command.install else {}
        if self._pip.certificates is not None:
            host |= dict.fromkeys(CERTIFICATE_NAMES, str(DEFAULT_BUNDLE))
        return host

    def _folders(self) -> Mapping[Path, str]:
        return {folder: f"{HOST_FOLDERS}/{number}" for number, folder in enumerate(self._pip.folders())}
