"""Making git repositories for tests."""

import os
from collections.abc import Mapping
from pathlib import Path

import git

_PERSON = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (
    ("NAME", "Test"), ("EMAIL", "test@localhost"), ("DATE", "2024-01-02T03:04:05Z"))}  # fmt: skip


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files by relative path."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())


def commit_files(folder: Path, files: Mapping[str, str | bytes], message: str = "A commit") -> str:
    """Write files into a git work tree, made where it is not there yet, commit all, and give the commit's SHA.

    The same files give the same SHA.
    """
    folder.mkdir(parents=True, exist_ok=True)
    client = git.Git(str(folder))
    client.update_environment(**_PERSON, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull)
    if not (folder / ".git").exists():
        client.execute(["git", "init", "--quiet", "--initial-branch=main", "--template="])
    write_files(folder, files)
    client.execute(["git", "add", "--all", "--force"])
    client.execute(["git", "commit", "--quiet", "--allow-empty", "--no-gpg-sign", "-m", message])
    return str(client.execute(["git", "rev-parse", "HEAD"]))
