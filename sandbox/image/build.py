"""Builds the image: from a registry's Python image, else by a Debian bootstrap; tagged by the recipe's hash."""

import hashlib
import os
import subprocess
from pathlib import Path

import docker
from docker.errors import BuildError, DockerException, ImageNotFound
from requests.exceptions import RequestException

from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.owner import KIND, LABEL, label_lines
from ml_agent.sandbox.pip_settings import PROXIES
from ml_agent.sandbox.temporary import lent

REPOSITORY = "ml-agent-base"
SUITE = "bookworm"
PACKAGES = ("ca-certificates", "git", "procps")
DEBIAN_PACKAGES = (*PACKAGES, "python3", "python3-venv", "python3-pip")
RECIPE = "ml-agent.recipe"
PYTHON = (3, 11)
"""What both ways of building bring."""
BOOTSTRAP_SECONDS = 900
FOLDER = Path(__file__).parent

_SETTINGS = (
    "ENV PATH=/opt/venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin VIRTUAL_ENV=/opt/venv LANG=C.UTF-8",
    "USER 1000:1000",
    "WORKDIR /workspace",
    'CMD ["sleep", "infinity"]',
)


def recipe_hash() -> str:
    """Twelve digits that change with anything the image is made from."""
    texts = [(FOLDER / name).read_bytes() for name in ("Dockerfile", "bootstrap.sh")]
    settings = repr((SUITE, DEBIAN_PACKAGES, _SETTINGS)).encode()
    return hashlib.sha256(b"\0".join([*texts, settings])).hexdigest()[:12]


def image_name() -> str:
    """The name of the image made from this recipe."""
    return f"{REPOSITORY}:{recipe_hash()}"


def python_of(client: docker.DockerClient, image: str) -> tuple[int, int]:
    """The version of Python in an image; one that is not ours is asked. Raises docker's errors."""
    if RECIPE in client.images.get(image).labels:
        return PYTHON
    ask = ["python3", "-c", "import sys; print(sys.version_info[0], sys.version_info[1])"]
    said = client.containers.run(image, ask, remove=True, network_mode="none", labels=_labels())
    major, minor = bytes(said).split()
    return int(major), int(minor)


def ensure_image(client: docker.DockerClient, image: str | None = None) -> str:
    """The name of an image that is present; the project's own is built where it is missing.

    It is looked for first: starting a container from a missing image would pull, which fails late and unclearly offline.
    One of the same name made by an older recipe (`:bookworm`) will do. Raises SandboxUnavailableError.
    """
    if (found := present_image(client, image)) is not None:
        return found
    if image is not None:
        raise SandboxUnavailableError(f"image {image} is missing: docker pull {image}")
    return build_image(client)


def present_image(client: docker.DockerClient, image: str | None = None) -> str | None:
    """The name of the image that `ensure_image` gives, where nothing must be built for it. Raises SandboxUnavailableError."""
    for name in [image] if image else [image_name(), f"{REPOSITORY}:{SUITE}"]:
        try:
            client.images.get(name)
        except ImageNotFound:
            continue
        except (DockerException, RequestException) as error:
            raise SandboxUnavailableError(f"the container engine does not answer: {error}") from error
        return name
    return None


def build_image(client: docker.DockerClient) -> str:
    """Build it and return its name. Raises SandboxUnavailableError with both reasons when neither way works."""
    try:
        _from_registry(client)
    except (DockerException, RequestException) as error:
        try:
            _from_debian(client)
        except (DockerException, RequestException, SandboxUnavailableError) as second:
            raise SandboxUnavailableError(
                f"the base image of the sandbox cannot be made: neither from a registry ({_line(error)}) nor from Debian packages ({_line(second)})"
            ) from second
    client.images.get(image_name()).tag(REPOSITORY, SUITE)
    return image_name()


def _from_registry(client: docker.DockerClient) -> None:
    base = "python:3.11-slim-bookworm"
    try:
        client.images.get(base)
    except ImageNotFound:
        client.images.pull(base)
    try:
        client.images.build(
            path=str(FOLDER),
            tag=image_name(),
            rm=True,
            forcerm=True,
            buildargs={"BASE": base, "PACKAGES": " ".join(PACKAGES)},
            labels=_labels(),
        )
    except BuildError as error:
        raise DockerException(str(error)) from error


def bootstrap_environment() -> dict[str, str]:
    """The environment as far as it leads to Debian's packages: programs, certificates, proxies, the mirror."""
    kept = ("PATH", "LANG", "HOME", "TMPDIR", "SSL_CERT_FILE", "DEBIAN_MIRROR", *PROXIES)
    return {name: os.environ[name] for name in kept if name in os.environ}


def _from_debian(client: docker.DockerClient) -> None:
    with lent("image") as folder:
        tar = folder / "image.tar"
        command = ["bash", str(FOLDER / "bootstrap.sh"), SUITE, ",".join(DEBIAN_PACKAGES), str(tar)]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=BOOTSTRAP_SECONDS, check=False, env=bootstrap_environment()
        )
        if done.returncode:
            raise SandboxUnavailableError(_line(done.stderr) or f"bootstrap.sh ended with exit code {done.returncode}")
        client.api.import_image_from_file(
            str(tar), repository=REPOSITORY, tag=recipe_hash(), changes=[*_SETTINGS, *label_lines(_labels())]
        )
    client.images.get(image_name())


def _labels() -> dict[str, str]:
    return {LABEL: "1", KIND: "base", RECIPE: recipe_hash()}


def _line(error: object) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
