"""Sandboxes of all three kinds, started and stopped around the tests that want one."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.contract import Limits, Network, Policy, Sandbox
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.local import BubblewrapSandbox, ProcessSandbox

DOCKER = pytest.param("docker", marks=[pytest.mark.docker, pytest.mark.xdist_group("docker-sandbox")])
BUBBLEWRAP = pytest.param("bubblewrap", marks=pytest.mark.xdist_group("bubblewrap-sandbox"))
PROCESS = pytest.param("process", marks=pytest.mark.xdist_group("process-sandbox"))

Make = Callable[..., Sandbox]


def build(kind: str, folder: Path, policy: Policy) -> Sandbox:
    """A sandbox of a kind, not yet started."""
    if kind == "docker":
        return DockerSandbox(policy, log_folder=folder)
    if kind == "bubblewrap":
        if find_bubblewrap() is None:
            pytest.skip("bubblewrap does not work here")
        return BubblewrapSandbox(policy, folder)
    return ProcessSandbox(policy, folder)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes and starts sandboxes; stops them after the test."""
    made: list[Sandbox] = []

    def start(kind: str, **policy: object) -> Sandbox:
        limits = policy.pop("limits", Limits(memory_bytes=512 * 1024**2, pids=100))
        settings = {"network": "none", "run_id": "tests", **policy}
        sandbox = build(kind, tmp_path / "logs", Policy(limits=limits, **settings))  # type: ignore[arg-type]
        made.append(sandbox)
        sandbox.start()
        return sandbox

    yield start
    for sandbox in made:
        sandbox.stop()


@pytest.fixture(scope="module")
def containers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Network], Sandbox]]:
    """One container a network for a whole module."""
    made: dict[Network, Sandbox] = {}

    def start(network: Network) -> Sandbox:
        if network not in made:
            policy = Policy(network=network, limits=Limits(memory_bytes=512 * 1024**2, pids=100), run_id="tests")
            made[network] = build("docker", tmp_path_factory.mktemp("logs"), policy)
            made[network].start()
        return made[network]

    yield start
    for sandbox in made.values():
        sandbox.stop()


@pytest.fixture
def kept(make: Make, containers: Callable[[Network], Sandbox]) -> Make:
    """A started sandbox. A container, which takes a second to start, serves many tests: what one does must not reach the next."""

    def start(kind: str, network: Network = "none") -> Sandbox:
        return containers(network) if kind == "docker" else make(kind, network=network)

    return start


@pytest.fixture(params=[DOCKER, BUBBLEWRAP, PROCESS])
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of sandbox."""
    return str(request.param)


@pytest.fixture(params=[DOCKER, BUBBLEWRAP])
def isolated_kind(request: pytest.FixtureRequest) -> str:
    """Each kind that keeps commands apart from the host."""
    return str(request.param)


@pytest.fixture(scope="module", params=[DOCKER, BUBBLEWRAP, PROCESS])
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """One started sandbox of the parameter's kind for a whole module; its tests leave nothing behind that matters."""
    folder = tmp_path_factory.mktemp("logs")
    limits = Limits(memory_bytes=512 * 1024**2, pids=100, output_bytes=2000)
    sandbox = build(request.param, folder, Policy(network="none", limits=limits, run_id="tests"))
    sandbox.start()
    yield sandbox
    sandbox.stop()


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Sandboxes that outlive one test have their places here, not in the machine's cache."""
    patch = pytest.MonkeyPatch()
    patch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()
