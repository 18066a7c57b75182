"""Environments of containers: a volume each, which programs may not change once it was kept, and one of downloads for the installer."""

import json
import os
import uuid
from contextlib import suppress
from pathlib import Path

import docker
from docker.errors import APIError, NotFound
from docker.models.containers import Container
from docker.types import Mount

from ml_agent.sandbox.docker_exec import copy_in
from ml_agent.sandbox.environment import UV, VENV, WORKSPACE
from ml_agent.sandbox.local_place import is_abandoned, outgrown, setups
from ml_agent.sandbox.owner import labels
from ml_agent.sandbox.uv_program import uv_program
from ml_agent.tools.atomic import write_whole

DOWNLOADS = f"ml-agent-downloads-{os.getuid()}"
PREFIX = "ml-agent-setup-"


class Environments:
    """The environment of one sandbox."""

    def __init__(
        self, client: docker.DockerClient, run_id: str, volume: str = "", note: str = "", image: str = ""
    ) -> None:
        """A new one, or one that was kept. Raises docker's errors."""
        self._client = client
        self.note, self.image = note, image
        self.is_kept = bool(volume)
        self._lasts = bool(volume)
        self._name = volume or f"{PREFIX}{uuid.uuid4().hex}"
        if not volume:
            client.volumes.create(self._name, labels=labels(run_id, "setup"))
            client.volumes.create(DOWNLOADS, labels=labels(run_id, "downloads"))

    @staticmethod
    def kept(client: docker.DockerClient, run_id: str, key: str) -> "Environments | None":
        """What was kept under a key at this engine."""
        try:
            record = json.loads(_record(key).read_text(encoding="utf-8"))
            client.volumes.get(record["volume"])
            os.utime(_record(key))
            return Environments(client, run_id, record["volume"], record["note"], record["image"])
        except (OSError, ValueError, KeyError, NotFound):
            return None

    @staticmethod
    def forget(client: docker.DockerClient, key: str) -> None:
        """Remove what was kept under a key."""
        with suppress(OSError, ValueError, KeyError, APIError):
            record = json.loads(_record(key).read_text(encoding="utf-8"))
            _record(key).unlink()
            client.volumes.get(record["volume"]).remove()

    def keep(self, key: str, note: str, image: str) -> None:
        """Let it outlive the sandbox, with a text; nothing can change it any more."""
        _record(key).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        record = {"volume": self._name, "note": note, "image": image}
        write_whole(_record(key), json.dumps(record).encode())
        self.is_kept, self._lasts = True, not key.startswith("new-")
        for record_file in outgrown(_record("x").parent.glob("*.json")):
            self.forget(self._client, record_file.stem)

    def close(self) -> None:
        """Remove it where it is not kept."""
        if not self._lasts:
            with suppress(APIError):
                self._client.volumes.get(self._name).remove()

    def mounts(self, installer: bool = False) -> list[Mount]:
        """What a container sees of it. Downloads lie where the workspace is for others: the folder there is the commands' user's."""
        own = [Mount(VENV, self._name, type="volume", read_only=self.is_kept)]
        return [*own, Mount(WORKSPACE, DOWNLOADS, type="volume")] if installer else own

    def bring_program(self, container: Container) -> None:
        """Put the installer's program into a container, as root's."""
        copy_in({f"{UV}/uv": uv_program().read_bytes()}, container, mode=0o755)


def kept_names() -> frozenset[str]:
    """The names of all volumes and images that are kept."""
    found = set[str]()
    for record in _record("x").parent.glob("*.json"):
        if record.name.startswith("new-") and is_abandoned(record):
            continue
        with suppress(OSError, ValueError, KeyError):
            content = json.loads(record.read_text(encoding="utf-8"))
            found |= {str(content["volume"]), str(content["image"])}
    return frozenset(found)


def _record(key: str) -> Path:
    return setups() / "docker" / f"{key}.json"
