"""Where an agent works: an empty folder for what it leaves, and a repository in a sandbox as agents expect to find one."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.subjects.places import Place, open_place
from ml_agent.runs import RunFolder
from ml_agent.sandbox.contract import Command, Sandbox

LAY_SECONDS = 300.0
_PIP = "python -m pip --version >/dev/null 2>&1 || python -m ensurepip >/dev/null 2>&1 || true"
"""An agent expects pip in the environment; where this sandbox has none, Python's own is put there."""
_COMMIT = (
    "git init -q . && git add -A -f . && git -c user.name=bench -c user.email=bench@localhost -c commit.gpgsign=false"
    " commit -q --allow-empty -m 'As it was'"
)
"""`-f`: what the repository's own ignore list names may be a part of it all the same."""


def name_of(url: str) -> str:
    """The folder that a repository of that address gets."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", url.rstrip("/").removesuffix(".git").rpartition("/")[2]) or "repository"


def folder_of(name: str, path: str) -> str:
    """The task's folder in the workspace, of a repository that stands there as `name`."""
    return name if path in ("", ".") else f"{name}/{path}"


def clear(records: Path) -> None:
    """Make way for an attempt: what one left there that was cut off is kept beside it, under another name.

    Agents stumble over what is there already, and would be read by what another one left.
    """
    if records.exists():
        RunFolder(records / "run").remove_staged()  # of ML-Agent's own runs
        names = (records.with_name(f"{records.name}-cut-{number}") for number in count(1))
        records.rename(next(path for path in names if not path.exists()))


@contextmanager
def workplace(place: Place, records: Path, mounts: Iterable[Path], root: Path, name: str) -> Iterator[Sandbox]:
    """A started sandbox with a repository in its folder `name`, stopped at the end; AgentMissingError as `lay`."""
    sandbox = open_place(place, records / "sandbox", mounts)
    sandbox.start()
    try:
        lay(sandbox, root, name)
        yield sandbox
    finally:
        sandbox.stop()


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
        raise AgentMissingError(f"the repository cannot be committed in the {sandbox.name} sandbox: {said}")
