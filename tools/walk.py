"""Walking through folders that a foreign program had in its hands: no depth, length of a path or exchanged folder leads astray.

Below: which folders are no part of a repository's content, namely version control's own and runs of this program.
"""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath
from typing import NamedTuple

MOST_DEPTH = 100
"""Folders inside one another; people and programs nest a tenth of that."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Entry(NamedTuple):
    """One file, folder or link below the folder of a walk."""

    path: str
    """Relative to that folder, with slashes."""
    status: os.stat_result
    """Of the entry itself, a link's own."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, and no link to one."""
        return stat.S_ISDIR(self.status.st_mode)

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file, and no link to one."""
        return stat.S_ISREG(self.status.st_mode)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.status.st_mode)


class Walk:
    """The entries below a folder, each folder before what is in it, sorted by name within one.

    Each folder is opened from the one above by a descriptor, without following links. Folders that are deeper than
    MOST_DEPTH, closed to us or gone are not entered.
    """

    def __init__(self, root: Path, skips: Callable[[Entry], bool] = lambda folder: False) -> None:
        """`skips` says of a folder whether it is neither told nor entered."""
        self._root, self._skips = root, skips
        self.whole = True
        """False once a folder was there that could not be entered."""

    def __iter__(self) -> Iterator[Entry]:
        todo: list[tuple[int, str, list[str]]] = []
        try:
            self._enter(self._root, "", None, todo)
            while todo:
                here, prefix, names = todo[-1]
                if not names:
                    os.close(here)
                    todo.pop()
                    continue
                name = names.pop()
                try:
                    entry = Entry(prefix + name, os.stat(name, dir_fd=here, follow_symlinks=False))
                except FileNotFoundError:
                    continue
                if entry.is_folder and self._skips(entry):
                    continue
                yield entry
                if entry.is_folder:
                    self._enter(name, f"{entry.path}/", here, todo)
        finally:
            for descriptor, _, _ in todo:
                os.close(descriptor)

    def _enter(self, name: str | Path, prefix: str, parent: int | None, todo: list[tuple[int, str, list[str]]]) -> None:
        try:
            if len(todo) >= MOST_DEPTH:
                raise OSError(f"folders are nested more than {MOST_DEPTH} levels deep")
            here = os.open(name, _FOLDER, dir_fd=parent)
            todo.append((here, prefix, []))
            todo[-1][2].extend(sorted(os.listdir(here), reverse=True))  # noqa: PTH208 - a descriptor is no path
        except OSError:
            self.whole = False


# Where version control keeps its own files: addresses with tokens, settings, logs. They are no part of a repository's content.

FOLDERS = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl", "_darcs"})
"""Of git, Mercurial, Subversion and the others; in a submodule or a linked work tree `.git` is a file."""


def is_control(path: str) -> bool:
    """Whether a path (with `/`) is version control's own, or goes through what is: some disks do not tell case."""
    return any(part.casefold() in FOLDERS for part in path.split("/"))


def is_git_folder(folder: Path | str) -> bool:
    """Whether a folder is one of git's own, whatever it is called: a bare repository, or git's files kept apart."""
    isfile, isdir = (
        os.path.isfile,
        os.path.isdir,
    )  # of a folder that we may not look into they say no; fast, as each file is asked for
    return isfile(f"{folder}/HEAD") and isdir(f"{folder}/objects") and isdir(f"{folder}/refs")


# Which folders are runs of this program: what they hold is about a repository, and no part of the one that they lie in.

TRAJECTORY, CHECKPOINTS = "trajectory.jsonl", "checkpoints.sqlite"
MARKS = frozenset({TRAJECTORY, CHECKPOINTS})
"""Every run has both from its first step on, finished or not, and no other program writes the two together."""


def is_run_folder(folder: Path | str) -> bool:
    """Whether a folder is a run's: its copy of the repository would copy itself, and its answers are no documents."""
    return all(map(os.path.isfile, (f"{folder}/{name}" for name in MARKS)))


def is_of_a_run(root: Path, path: PurePath) -> bool:
    """Whether a path below `root` lies in a run's folder; `root` itself may be one."""
    return any(is_run_folder(root / folder) for folder in path.parents if folder.name)
