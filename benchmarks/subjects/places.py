"""Where a subject works: a sandbox with its environment, shown read-only, and a repository as agents expect to find one.

`open_place` gives ML-Agent's own sandboxes (Docker, bubblewrap, or none), which show the agent's environment and the package index's folders;
`lay` copies the repository there, with a git history of one commit and pip, both of which agents take for granted.
"""

import ipaddress
import shlex
from collections.abc import Iterable
from itertools import count
from pathlib import Path

import msgspec
from docker.types import Mount

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.runs import RunFolder
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Command, Policy, Sandbox
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.local import ProcessSandbox
from ml_agent.sandbox.pip_settings import read_pip_settings

LOOPBACK = "127.0.0.1"
LAY_SECONDS = 300.0
_UNPACK_PIP = """
import ensurepip, glob, importlib.util, os, sysconfig, zipfile
if importlib.util.find_spec("pip") is None:
    bundled = os.path.join(os.path.dirname(ensurepip.__file__), "_bundled", "pip-*.whl")
    zipfile.ZipFile(glob.glob(bundled)[0]).extractall(sysconfig.get_path("purelib"))
    script = os.path.join(sysconfig.get_path("scripts"), "pip")
    with open(script, "w") as file:
        file.write('#!/bin/sh\\nexec python -m pip "$@"\\n')
    os.chmod(script, 0o755)
"""
_PIP = f"python -I -c {shlex.quote(_UNPACK_PIP)} 2>/dev/null || python -m ensurepip >/dev/null 2>&1 || true"
"""An agent expects pip in the environment; where this sandbox has none, Python's own is unpacked there: installing it takes seconds."""
_COMMIT = (
    "git init -q . && git add -A -f . && git -c user.name=bench -c user.email=bench@localhost -c commit.gpgsign=false"
    " commit -q --allow-empty -m 'As it was'"
)
"""`-f`: what the repository's own ignore list names may be a part of it all the same."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Which sandbox subjects get."""

    sandbox: str = "auto"
    """auto, docker or local."""
    unisolated: bool = False
    policy: Policy = Policy(network="full")
    """A subject has to reach the model, so the network is open: an agent may also reach the rest of it."""
    image: str | None = None
    """For Docker; None is the project's own."""


class DockerPlace(DockerSandbox):
    """A container with a /root that is open: the image's own is closed to the commands' user, and interpreters and agents may lie there."""

    def _shown_mounts(self) -> list[Mount]:
        stand = self._log_folder.absolute() / "root"
        stand.mkdir(parents=True, exist_ok=True)
        stand.chmod(0o1777)
        return [Mount("/root", str(stand), type="bind"), *super()._shown_mounts()]


def index_variables() -> dict[str, str]:
    """What lets pip and uv in a place find the package index that this machine is set to."""
    known = read_pip_settings().environment(str)
    index = known.get("PIP_INDEX_URL")
    return known | ({"UV_DEFAULT_INDEX": index} if index else {})


def open_place(place: Place, log_folder: Path, folders: Iterable[Path] = ()) -> Sandbox:
    """The sandbox, not yet started; `folders` of the host, and those of its package index, are readable in it under their own names.

    Raises SandboxUnavailableError as `sandbox.choose` does.
    """
    shown = tuple(dict.fromkeys((*folders, *read_pip_settings().folders())))
    policy = msgspec.structs.replace(place.policy, shown=shown)
    if place.sandbox == "local" and place.unisolated:  # an agent's own programs lie where a sandbox's user may not read
        return ProcessSandbox(policy, log_folder)
    picked = choose(place.sandbox, policy, log_folder, place.unisolated)
    return DockerPlace(policy, place.image, log_folder=log_folder) if isinstance(picked, DockerSandbox) else picked


def host_address(sandbox: Sandbox) -> str:
    """This machine's address as a started sandbox sees it: a container's gateway, else the loopback."""
    if not isinstance(sandbox, DockerSandbox):
        return LOOPBACK
    routes = sandbox.run(Command(text="cat /proc/net/route", timeout=30)).stdout
    gateways = [row[2] for line in routes.splitlines() if len(row := line.split()) > 2 and row[1] == "00000000"]
    if not gateways:
        raise AgentMissingError(
            "the container has no network route to this machine, where the model's proxy runs: use --sandbox local"
        )
    return str(ipaddress.ip_address(bytes.fromhex(gateways[0])[::-1]))


def clear(records: Path) -> None:
    """Make way for an attempt: what one left there that was cut off is kept beside it, under another name.

    Agents stumble over what is there already, and would be read by what another one left.
    """
    if records.exists():
        RunFolder(records / "run").remove_staged()  # of ML-Agent's own runs
        names = (records.with_name(f"{records.name}-cut-{number}") for number in count(1))
        records.rename(next(path for path in names if not path.exists()))


def lay(sandbox: Sandbox, root: Path, name: str) -> None:
    """Copy a repository's files into the workspace's folder `name` and commit them; its own history stays out.

    AgentMissingError where the sandbox has no git that works.
    """
    for path in sorted(root.iterdir()):
        if path.name != ".git":
            sandbox.put(path, f"{name}/{path.name}")
    response = sandbox.run(Command(text=f"{_PIP}; mkdir -p {name} && cd {name} && {_COMMIT}", timeout=LAY_SECONDS))
    if not response.ok:
        said = (response.stderr.strip().splitlines() or ["no answer"])[-1]
        raise AgentMissingError(f"`git commit` fails in the {sandbox.name} sandbox: {said}")
