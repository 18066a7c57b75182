"""The version of a local folder, so that what was learned of it can be kept until it changes."""

import hashlib
import os
import re
import time
from pathlib import Path
from typing import IO

from ml_agent.tools.content_cache import ContentCache
from ml_agent.tools.files import OPEN_FLAGS, Tree
from ml_agent.tools.work_tree import WorkTree, is_work_tree

WHOLE_FILE_BYTES = 4 * 1024 * 1024
"""Files above this size count with their size and their first and last megabyte."""
EDGE_BYTES = 1024 * 1024
_SETTLED = 2 * 10**9
"""Nanoseconds after which a file that changes once more gets another time, whatever the disk's clock."""


def local_version(root: Path, known: ContentCache | None = None) -> str:
    """The version of a folder, without changing anything in it; that of the same files with the same times is taken from what is known.

    A git work tree: the SHA of HEAD, and "-dirty-" with a hash of what differs from it. Any other folder: the text
    of its `.commit` file, else a hash of names, sizes and contents.

    Git's own files are read without git. Raises RepositoryError where they cannot be read.
    """
    tree, is_git = Tree(root), is_work_tree(root)
    if not is_git and tree.is_file(".commit") and (commit := tree.read_text(".commit", 200).strip()):
        return re.sub(r"[^\w.-]+", "-", commit)[:80]
    work = WorkTree(root) if is_git else None
    state, changed = tree.state()
    key = ("version", str(tree.root), work.head if work else "", work.excluded if work else "", state)
    version: str | None = known.load(key, str) if known is not None else None
    if version is None:
        version = _git_version(work) if work else f"files-{_digest(tree, tree.files())}"
        if known is not None and changed < time.time_ns() - _SETTLED:
            known.store(key, version)
    return version


def head_commit(root: Path) -> str:
    """The SHA of HEAD of a git work tree; "" where there is no commit yet."""
    return WorkTree(root).head


def commit_date(root: Path) -> str:
    """The day of HEAD's commit, YYYY-MM-DD; "" where the folder is no git work tree or has no commit."""
    return WorkTree(root).date() if is_work_tree(root) else ""


def _git_version(work: WorkTree) -> str:
    changed = work.changes()
    if not changed and work.head:
        return work.head
    tree = Tree(work.root)
    there = [path for path in changed if tree.is_file(path)]
    mark = hashlib.sha256("\0".join([*changed, _digest(tree, there)]).encode("utf-8", "surrogateescape"))
    return f"{work.head or 'unborn'}-dirty-{mark.hexdigest()[:16]}"


def _digest(tree: Tree, paths: tuple[str, ...] | list[str]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with _open(tree, path) as file:
            size = os.fstat(file.fileno()).st_size
            digest.update(f"{path}\0{size}\0".encode("utf-8", errors="surrogateescape"))
            digest.update(file.read(size if size <= WHOLE_FILE_BYTES else EDGE_BYTES))
            if size > WHOLE_FILE_BYTES:
                file.seek(-EDGE_BYTES, os.SEEK_END)
                digest.update(file.read(EDGE_BYTES))
    return digest.hexdigest()[:32]


def _open(tree: Tree, path: str) -> IO[bytes]:
    """A file that was just found in a tree: only a link has to be followed with care. Nothing but a hash of it is kept."""
    try:
        return os.fdopen(os.open(f"{tree.root}/{path}", OPEN_FLAGS), "rb", buffering=0)
    except OSError:
        return tree.open(path)
