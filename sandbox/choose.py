"""Picks the sandbox: Docker, else bubblewrap; without isolation only when that was asked for in so many words."""

from pathlib import Path

from sandbox.bubblewrap import find_bubblewrap
from sandbox.contract import Policy, Sandbox
from sandbox.docker_engine import connect
from sandbox.docker_sandbox import DockerSandbox
from sandbox.errors import SandboxUnavailableError
from sandbox.local import BubblewrapSandbox, ProcessSandbox

NO_BUBBLEWRAP = "bubblewrap does not work here: install it (Debian: apt-get install bubblewrap)"


def choose(name: str, policy: Policy, log_folder: Path, unisolated: bool = False) -> Sandbox:
    """The sandbox called `name` (auto, docker or local), not yet started; logs go to `log_folder`.

    "auto" takes Docker, else bubblewrap, else with `unisolated` a plain process group. "local" takes bubblewrap, with
    `unisolated` the process group. Raises SandboxUnavailableError with one line that says what is missing and what to do,
    ValueError for another name.
    """
    if name not in ("auto", "docker", "local"):
        raise ValueError(f"no such sandbox: {name}")
    missing = []
    if name != "local":
        try:
            connect().close()
            return DockerSandbox(policy, log_folder=log_folder)
        except SandboxUnavailableError as error:
            if name == "docker":
                raise
            missing.append(str(error))
    if name == "local" and unisolated:
        return ProcessSandbox(policy, log_folder)
    if find_bubblewrap() is not None:
        return BubblewrapSandbox(policy, log_folder)
    if unisolated:
        return ProcessSandbox(policy, log_folder)
    missing.append(NO_BUBBLEWRAP)
    raise SandboxUnavailableError(f"{'; '.join(missing)}; or run without isolation (--sandbox local --unisolated)")
