"""Debian packages for a container that has no capabilities: a second one that may install makes the next image."""

import docker
from requests import exceptions

from ml_agent.sandbox.contract import Response
from ml_agent.sandbox.environment import PATHS
from ml_agent.sandbox.owner import label_lines

CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETUID", "SETGID"]
"""What apt and dpkg need to change users and owners; everything else is dropped."""
KEPT = 4000
"""Characters of output kept."""

_INSTALL = 'apt-get update -qq && apt-get install -y -qq --no-install-recommends -- "$@"'


def install_packages(
    client: docker.DockerClient,
    images: tuple[str, str],
    packages: tuple[str, ...],
    labels: dict[str, str],
    seconds: float,
) -> Response:
    """Install into the first of the images and keep the outcome as the second. Raises docker's errors; that it takes longer is a response."""
    image, result = images
    container = client.containers.create(
        image,
        ["/bin/bash", "-c", _INSTALL, "apt", *packages],
        user="0:0",
        network_mode="bridge",
        cap_drop=["ALL"],
        cap_add=CAPABILITIES,
        security_opt=["no-new-privileges"],
        environment={"DEBIAN_FRONTEND": "noninteractive", "PATH": PATHS},
        labels=labels,
    )
    try:
        container.start()
        try:
            code = int(container.wait(timeout=seconds)["StatusCode"])
        except (exceptions.ReadTimeout, exceptions.ConnectionError):  # before or after the answer has begun
            said = f"the system packages {' '.join(packages)} are not there after {seconds:.0f} s"
            return Response(ended="timeout", exit_code=None, error_lines=(said,))
        out = container.logs(stdout=True, stderr=False, tail=200).decode("utf-8", "replace")[-KEPT:]
        err = container.logs(stdout=False, stderr=True, tail=200).decode("utf-8", "replace")[-KEPT:]
        if code == 0:
            repository, _, tag = result.partition(":")
            container.commit(
                repository=repository, tag=tag, pause=False, changes=[*label_lines(labels), 'CMD ["sleep", "infinity"]']
            )
        errors = tuple(line for line in err.splitlines() if line.startswith("E:"))
        return Response(ended="exited", exit_code=code, stdout=out, stderr=err, error_lines=errors)
    finally:
        container.remove(force=True, v=True)
