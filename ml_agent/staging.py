"""What of a folder of the user's goes into a sandbox: not what git ignores, nothing that is named like a secret, no settings of git's, no runs.

A clone of ours holds what everybody can fetch. A work tree of the user's also holds `.env`, a token in `.git/config`, private
notes. Data that git ignores goes in where the user's own words name it; a file that is committed is not ignored, as in git.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path, PurePosixPath

from ml_agent.tools.files import MAX_FILES
from ml_agent.tools.ignored import Ignored, ignored_in
from ml_agent.tools.secret_files import is_secret
from ml_agent.tools.walk import Walk, is_control, is_git_folder, is_of_a_run, is_run_folder
from ml_agent.tools.work_tree import WorkTree, is_work_tree

_GIT = ("HEAD", "packed-refs", "shallow", "index", "objects", "refs/heads", "refs/tags")
"""What of `.git` holds commits; all else holds addresses, settings, hooks and notes of the user's."""
LONGEST_PATH = 4096
"""Bytes that the kernel takes for a path, its end included."""
_GIT_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"


def stage(root: Path, target: Path, words: str = "") -> int:
    """Lay a folder of the user's as it may be seen in a sandbox; returns how many files were left out.

    Files are linked where the disk can, and never written to. `words` are the user's own: ignored paths in them are wanted.
    """
    rules, committed = ignored_in(root), cache(lambda: _files_of_head(root))
    left_out = 0
    target.mkdir(parents=True)
    for path, relative in _walk(root):
        name = relative.as_posix()
        if is_secret(name) or (_is_unwanted(name, rules, words) and name not in committed()):
            left_out += 1
            continue
        place = target / relative
        if len(os.fsencode(place)) >= LONGEST_PATH:
            left_out += 1
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        _lay(path, place)
    if (root / ".git").is_dir() and not (root / ".git").is_symlink():
        _stage_git(root / ".git", target / ".git")
    return left_out


def _files_of_head(root: Path) -> frozenset[str]:
    """The files of HEAD, whatever patterns say of them: samples are often added past a pattern."""
    work = WorkTree(root) if is_work_tree(root) else None
    return frozenset(blob.path for blob in work.blobs(work.head)) if work is not None and work.head else frozenset()


def _is_unwanted(path: str, rules: Ignored | None, words: str) -> bool:
    if rules is None or not rules.path(path):
        return False
    parents = [f"{parent}/" for parent in PurePosixPath(path).parents if parent.name]
    named = [path, *parents] if "/" in path or "." in path.lstrip(".") else parents
    return not any(
        re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w-]|\.\w)|(?<=\./){re.escape(name)}(?![\w-]|\.\w)", words)
        for name in named
    )


def _walk(root: Path) -> Iterator[tuple[Path, PurePosixPath]]:
    """Regular files and links below a folder, but for version control's own and runs; folders that cannot be read hold nothing."""
    entries = Walk(root, lambda folder: _is_foreign(root / folder.path))
    for entry in islice((one for one in entries if one.is_folder or not is_control(one.path)), MAX_FILES):
        path = root / entry.path
        if not entry.is_folder and _is_part(path, root):
            yield path, PurePosixPath(entry.path)


def _is_foreign(folder: Path) -> bool:
    """Whether a folder is not the repository's: version control's, or a run's, into which this very copy may be made."""
    return is_control(folder.name) or is_git_folder(folder) or is_run_folder(folder)


def _is_part(path: Path, root: Path) -> bool:
    """Whether it is a regular file, or a link that stays in the folder; a path that is too long leads to nothing."""
    try:
        return _leads_inside(path, root) if path.is_symlink() else path.is_file()
    except OSError:
        return False


def _leads_inside(link: Path, root: Path) -> bool:
    """Whether a link stays in the folder; one that leads out, to a device or to version control's own is no part of it."""
    try:
        aim = link.resolve()
    except (OSError, RuntimeError):  # a loop
        return False
    if link.readlink().is_absolute() or not aim.is_relative_to(root.resolve()):
        return False
    inside = aim.relative_to(root.resolve())
    return not is_control(inside.as_posix()) and not is_of_a_run(root.resolve(), inside)


def _lay(path: Path, place: Path) -> None:
    if path.is_symlink():
        place.symlink_to(path.readlink())
        return
    copy: Callable[[Path, Path], object] = os.link
    try:
        copy(path, place)
    except OSError:  # another disk, or one that knows no links
        shutil.copy2(path, place)


def _stage_git(source: Path, target: Path) -> None:
    """Commits, branches and tags under a configuration of ours: no address, no token, no hook."""
    for name in _GIT:
        here = source / name
        if here.is_file() and not here.is_symlink():
            target.mkdir(exist_ok=True)
            _lay(here, target / name)
        elif here.is_dir() and not here.is_symlink():
            for path, relative in _walk(here):
                if not path.is_symlink() and relative.as_posix() != "info/alternates":
                    place = target / name / relative
                    place.parent.mkdir(parents=True, exist_ok=True)
                    _lay(path, place)
    if target.is_dir():
        (target / "refs").mkdir(exist_ok=True)
        (target / "objects").mkdir(exist_ok=True)
        (target / "config").write_text(_GIT_CONFIG)
