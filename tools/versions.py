"""The version of a local folder, so that what was learned of it can be kept until it changes."""

import hashlib
import os
import re
import time
from pathlib import Path

from tools.errors import RepositoryError
from tools.files import Tree
from tools.git import Git, Limits

WHOLE_FILE_BYTES = 4 * 1024 * 1024
"""Files above this size count with their size and their first and last megabyte."""
EDGE_BYTES = 1024 * 1024
GIT_SECONDS = 60.0
_EXECUTABLE_SETTING = re.compile(r"(?i)^filter\.(.+)\.(clean|smudge|process|required)$")


def local_version(root: Path) -> str:
    """The version of a folder, without changing anything in it.

    A git work tree: the SHA of HEAD, and "-dirty-" with a hash of what differs from it. Any other folder: the text
    of its `.commit` file, else a hash of names, sizes and contents.

    Raises RepositoryError where git cannot read its own folder.
    """
    if (root / ".git").exists():
        return _git_version(root)
    tree = Tree(root)
    if tree.is_file(".commit") and (commit := tree.read_text(".commit", 200).strip()):
        return _safe(commit)
    return f"files-{_digest(tree, tree.files())}"


def head_commit(root: Path) -> str:
    """The SHA of HEAD of a git work tree; "" where there is no commit yet."""
    output = Git(root).run(["rev-parse", "--verify", "--quiet", "HEAD"], _limits())
    return output.stdout.decode().strip() if output.status == 0 else ""


def commit_date(root: Path) -> str:
    """The day of HEAD's commit, YYYY-MM-DD; "" where the folder is no git work tree or has no commit."""
    if not (root / ".git").exists():
        return ""
    output = Git(root).run(["log", "-1", "--format=%cs"], _limits())
    return output.stdout.decode().strip() if output.status == 0 else ""


def _git_version(root: Path) -> str:
    head = head_commit(root)
    client = Git(root)
    client.set(_without_filters(client))
    output = client.run(
        ["status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames"], _limits()
    )
    if output.status != 0:
        raise RepositoryError(f"{root}: git cannot read this repository: {output.stderr.strip().splitlines()[-1]}")
    if not output.stdout:
        return head
    tree = Tree(root)
    changed = [os.fsdecode(entry[3:]) for entry in output.stdout.split(b"\0") if entry]
    mark = hashlib.sha256(output.stdout + _digest(tree, [path for path in changed if tree.is_file(path)]).encode())
    return f"{head or 'unborn'}-dirty-{mark.hexdigest()[:16]}"


def _without_filters(client: Git) -> dict[str, str]:
    """Settings that disarm every filter program that the repository's own configuration names."""
    output = client.run(["config", "--local", "--includes", "--name-only", "--list"], _limits())
    found = {m[1] for name in output.stdout.decode(errors="replace").split() if (m := _EXECUTABLE_SETTING.match(name))}
    off = {f"filter.{name}.{kind}": "" for name in found for kind in ("clean", "smudge", "process")}
    return off | {f"filter.{name}.required": "false" for name in found}


def _limits() -> Limits:
    return Limits(deadline=time.monotonic() + GIT_SECONDS)


def _digest(tree: Tree, paths: tuple[str, ...] | list[str]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        size = tree.size(path)
        digest.update(f"{path}\0{size}\0".encode("utf-8", errors="surrogateescape"))
        if size <= WHOLE_FILE_BYTES:
            digest.update(tree.read_bytes(path, size))
        else:
            digest.update(tree.read_bytes(path, EDGE_BYTES))
            digest.update(_last_bytes(tree.resolve(path)))
    return digest.hexdigest()[:32]


def _last_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(-EDGE_BYTES, os.SEEK_END)
        return file.read()


def _safe(text: str) -> str:
    """Text fit for a file name."""
    return re.sub(r"[^\w.-]+", "-", text)[:80]
