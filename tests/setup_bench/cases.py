"""The set-up bench: small broken repositories, each after a public thread, with the end that is right for it.

A case is a folder `cases/NAME` with `case.toml` and `repository/`. Nothing of it but the repository and the command may reach
what is being tested; `remedy` and `expect` belong to the judge.
"""

import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

HERE = Path(__file__).resolve().parent
DEFAULT_DATE = "2023-06-01"

Ends = Literal["completed", "diagnosed"]

DIAGNOSES = {
    "missing-module": "a module that is imported is not installed, or not on the path",
    "requirement-not-found": "a requirement cannot be had as it is written",
    "version-conflict": "the pins contradict each other",
    "removed-api": "a library is too new for the code",
    "wrong-python": "the code is for another version of Python",
    "broken-setup": "the repository's own setup.py or pyproject.toml fails",
    "missing-system-library": "a library or tool of the system is not there",
    "no-display": "a window system is needed",
    "no-cuda": "a graphics card is asked for and absent",
    "missing-file": "a file is not there",
    "missing-folder": "a folder for output is not there",
    "missing-data": "a data set is not there",
    "missing-weights": "weights of a model are not there",
    "lfs-pointer": "a file is a pointer of Git LFS",
    "missing-submodule": "a submodule was not fetched",
    "wrong-folder": "the command must run in another folder",
    "relative-import": "a module of a package was run as a script",
    "missing-environment-variable": "an environment variable is not set",
    "missing-credentials": "a key or password is needed",
    "port-in-use": "a port is taken",
    "permission": "a file may not be executed, read or written",
    "line-endings": "a shell script has line ends of Windows",
    "encoding": "a text is in another encoding",
    "network-blocked": "the network is not reachable",
    "syntax": "a file cannot be parsed",
}
"""Codes that the cases use, and what each means. A classifier with other names maps its own onto these."""


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One broken repository and the right end."""

    name: str
    title: str
    thread: str
    """The public thread that it reproduces."""
    command: str
    """What the user asks to run, from the repository's root."""
    error: str
    """Regular expression for the output of the naive way."""
    diagnosis: tuple[str, ...]
    """Codes of DIAGNOSES, any of which names the first failure rightly."""
    names: tuple[str, ...]
    """Words that a good message contains, whatever their case."""
    ends: Ends
    """How the run must end by rules alone."""
    also: Literal["", "completed"] = ""
    """A better end that is right, too, where the sandbox can reach it."""
    needs: str = ""
    """An interpreter without which a case that ends `completed` must end `diagnosed`."""
    naive: str = ""
    """What a user would type first; empty for the command alone."""
    remedy: str = ""
    """One way to run it by hand, which shows that `completed` is possible."""
    result: str = "result.json"
    """File that the program writes."""
    expect: dict[str, Any] = {}
    date: str = DEFAULT_DATE
    """Date of the repository's last commit."""

    @property
    def repository(self) -> Path:
        """The folder of the repository."""
        return HERE / "cases" / self.name / "repository"

    def ends_here(self) -> Ends:
        """The right end on this machine, which may lack the interpreter that the case needs."""
        return "diagnosed" if self.needs and not has_interpreter(self.needs) else self.ends


def has_interpreter(name: str) -> bool:
    """Whether an interpreter can be run here; a version manager's shim alone does not count."""
    path = shutil.which(name)
    return path is not None and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0


def load() -> list[Case]:
    """All cases by name."""
    return [_read(path) for path in sorted((HERE / "cases").glob("*/case.toml"))]


def _read(path: Path) -> Case:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return msgspec.convert({"name": path.parent.name, **content}, Case)


def lay(case: Case, folder: Path) -> Path:
    """Copy the repository into `folder` and commit it under the case's date; the path of the copy."""
    copy = Path(shutil.copytree(case.repository, folder / case.name))
    environment = {
        **os.environ,
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _identity(case).items()},
    }
    for arguments in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", case.title]):
        options = ["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *options, *arguments], cwd=copy, env=environment, check=True, capture_output=True)
    return copy


def _identity(case: Case) -> dict[str, str]:
    return {"NAME": "bench", "EMAIL": "bench@localhost", "DATE": f"{case.date}T12:00:00+0000"}


def completed(case: Case, folder: Path) -> list[str]:
    """What speaks against the claim that the case's program ran to its end in `folder`; empty when nothing does."""
    found = [path for path in folder.rglob(Path(case.result).name) if path.is_file()]
    if not found:
        return [f"{case.result}: not written"]
    content = json.loads(max(found, key=lambda path: path.stat().st_mtime).read_text(encoding="utf-8"))
    return [
        f"{key}: {content.get(key)!r}, expected {value!r}"
        for key, value in case.expect.items()
        if content.get(key) != value
    ]
