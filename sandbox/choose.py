"""Picks the sandbox: Docker, else bubblewrap; without isolation only where nothing isolates and that was permitted."""

from contextlib import closing
from pathlib import Path

from ml_agent.sandbox.bubblewrap import find_bubblewrap, why_not
from ml_agent.sandbox.contract import Policy, Sandbox
from ml_agent.sandbox.docker_engine import connect
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.image.build import present_image
from ml_agent.sandbox.local import BubblewrapSandbox, ProcessSandbox, has_cards


def choose(name: str, policy: Policy, log_folder: Path, unisolated: bool = False) -> Sandbox:
    """The sandbox called `name` (auto, docker or local), not yet started; logs go to `log_folder`.

    "auto" takes Docker, else bubblewrap; bubblewrap first where Docker's image would have to be made. "local" takes
    bubblewrap. `unisolated` permits a plain process group where the wanted ones do not work; it never replaces them.
    Raises SandboxUnavailableError with one line that says what is missing and what to do, ValueError for another name.
    """
    if name not in ("auto", "docker", "local"):
        raise ValueError(f"there is no sandbox called {name}")
    local = None
    if name == "local" and policy.gpus != "none" and not has_cards(policy.gpus):
        raise SandboxUnavailableError(f"--gpus {policy.gpus}: this machine has no such NVIDIA GPU; leave out --gpus")
    if name != "docker" and find_bubblewrap() is not None:
        local = BubblewrapSandbox(policy, log_folder)
    missing = []
    if name != "local":
        try:
            engine_is_ready = _has_image()
            if engine_is_ready or local is None:
                return DockerSandbox(policy, log_folder=log_folder)
        except SandboxUnavailableError as error:
            if name == "docker":
                raise
            missing.append(str(error))
    if local is not None:
        return local
    if unisolated:
        return ProcessSandbox(policy, log_folder)
    missing.append(f"bubblewrap does not work here ({why_not()}): install it (Debian: apt-get install bubblewrap)")
    raise SandboxUnavailableError(f"{'; '.join(missing)}; --sandbox local --unisolated runs without isolation")


def _has_image() -> bool:
    """Whether the engine has our image. Raises SandboxUnavailableError where none answers."""
    with closing(connect()) as client:
        return present_image(client) is not None
