"""The image in which every agent does delivery rows: the project's own with a C compiler, which some repositories need."""

import tempfile
from contextlib import closing
from pathlib import Path

import msgspec
from docker.errors import DockerException, ImageNotFound
from requests.exceptions import RequestException

from ml_agent.benchmarks.subjects.places import Place
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.docker_engine import connect
from ml_agent.sandbox.docker_packages import install_packages
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.image.build import ensure_image
from ml_agent.sandbox.owner import KIND, LABEL

PACKAGES = ("build-essential", "python3-dev")
SECONDS = 900.0


def with_compiler(place: Place) -> Place:
    """The place with this image where it is Docker's and names none. Raises SandboxUnavailableError."""
    picked = choose(place.sandbox, place.policy, Path(tempfile.gettempdir()), place.unisolated)
    if place.image or not isinstance(picked, DockerSandbox):
        return place
    return msgspec.structs.replace(place, image=ensure_bench_image())


def ensure_bench_image() -> str:
    """The image's name; it is made where it is missing. Raises SandboxUnavailableError."""
    with closing(connect()) as client:
        base = ensure_image(client)
        name = f"ml-agent-bench:{base.rpartition(':')[2]}"
        try:
            client.images.get(name)
        except ImageNotFound:
            response = install_packages(client, (base, name), PACKAGES, {LABEL: "1", KIND: "base"}, SECONDS)
            if not response.ok:
                raise SandboxUnavailableError(f"no compiler can be installed into {base}: {response.why}") from None
        except (DockerException, RequestException) as error:
            raise SandboxUnavailableError(f"the container engine does not answer: {error}") from error
    return name
