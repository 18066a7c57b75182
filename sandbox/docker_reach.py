"""Which folders of this machine a container engine can mount."""

import os
from typing import Literal

import docker
from docker.errors import APIError
from docker.types import Mount

from ml_agent.sandbox.docker_engine import is_local
from ml_agent.sandbox.owner import labels
from ml_agent.sandbox.temporary import lent

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
