"""The version of a local folder, so that what was learned of it can be kept until it changes."""

import hashlib
import os
import re
from pathlib import Path

from ml_agent.tools.files import Tree
from ml_agent.tools.work_tree import WorkTree, is_work_tree

WHOLE_FILE_BYTES = 4 * 1024 * 1024
"""Files above this size count with their size and their first and last megabyte."""
EDGE_BYTES = 1024 * 1024


def local_version(root: Path) -> str:
    """The version of a folder, without changing anything in it.

    A git work tree: the SHA of HEAD, and "-dirty-" with a hash of what differs from it. Any other folder: the text
    of its `.commit` file, else a hash of names, sizes and contents.

    Git's own files are read without git. Raises RepositoryError where they cannot be read.
    """
    if is_work_tree(root):
        return _git_version(root)
    tree = Tree(root)
    if tree.is_file(".commit") and (commit := tree.read_text(".commit", 200).strip()):
        return _safe(commit)
    return f"files-{_digest(tree, tree.files())}"


def head_commit(root: Path) -> str:
    """The SHA of HEAD of a git work tree; "" where there is no commit yet."""
    return WorkTree(root).head


def commit_date(root: Path) -> str:
    """The day of HEAD's commit, YYYY-MM-DD; "" where the folder is no git work tree or has no commit."""
    return WorkTree(root).date() if is_work_tree(root) else ""


def _git_version(root: Path) -> str:
    work = WorkTree(root)
    changed = work.changes()
    if not changed and work.head:
        return work.head
    tree = Tree(root)
    there = [path for path in changed if tree.is_file(path)]
    mark = hashlib.sha256("\0".join([*changed, _digest(tree, there)]).encode("utf-8", "surrogateescape"))
    return f"{work.head or 'unborn'}-dirty-{mark.hexdigest()[:16]}"


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
