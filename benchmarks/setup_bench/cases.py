"""A broken repository, after a public thread, with the end that is right for it.

A case is a folder with `case.toml` and `repository/`. Nothing of it but the repository and the command may reach what is
being tested; the rest belongs to the judge.
"""

import os
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

DEFAULT_DATE = "2023-06-01"

Ends = Literal["completed", "diagnosed"]


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One broken repository and the right end."""

    folder: Path
    title: str
    thread: str
    """The public thread that it reproduces."""
    command: str
    """What the user asks to run, from the repository's root."""
    error: str
    """Regular expression for the output of the naive way."""
    diagnosis: tuple[str, ...]
    """Codes of `sandbox.diagnosis`, any of which names the first failure rightly."""
    names: tuple[str, ...]
    """Words that a good message contains, whatever their case."""
    ends: Ends
    """How the run must end by rules alone."""
    also: Literal["", "completed"] = ""
    """A better end that is right, too, where the sandbox can reach it."""
    needs: str = ""
    """An interpreter, such as python3.9, without which a case that ends `completed` must end `diagnosed`."""
    naive: str = ""
    """What a user would type first; empty for the command alone."""
    remedy: str = ""
    """One way to run it by hand, which shows that `completed` is possible."""
    result: str = "result.json"
    """File that the program writes."""
    expect: dict[str, Any] = {}
    """What the file must hold."""
    date: str = DEFAULT_DATE
    """Date of the repository's last commit."""

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def repository(self) -> Path:
        """The folder of the repository."""
        return self.folder / "repository"

    def mismatches(self, content: dict[str, Any]) -> list[str]:
        """Where what the program wrote is not what it must be."""
        return [f"{key}: {content.get(key)!r}, expected {value!r}" for key, value in self.expect.items()
                if content.get(key) != value]  # fmt: skip


def load(folder: Path) -> list[Case]:
    """All cases of a folder by name."""
    return [_read(path) for path in sorted(folder.resolve().glob("*/case.toml"))]


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


def _read(path: Path) -> Case:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return msgspec.convert({"folder": path.parent, **content}, Case)


def _identity(case: Case) -> dict[str, str]:
    return {"NAME": "bench", "EMAIL": "bench@localhost", "DATE": f"{case.date}T12:00:00+0000"}
