"""What is kept because it can be made again: the folder of caches, in which nobody else may lay something, and results in memory."""

import grp
import os
import pwd
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, wraps
from pathlib import Path
from typing import TypeVar, TypeVarTuple

from platformdirs import user_cache_path


def own_cache(folder: Path | None = None) -> Path:
    """A folder for caches that only this user may write.

    Args:
        folder: Where it is to be; by default what ML_AGENT_CACHE_DIR names, else the user's cache folder.

    Returns the folder itself, also where there is none yet; where it is somebody else's, or others may write there, a folder of
    this user's alone below it. Raises PermissionError where that one is not his.
    """
    folder = folder or Path(os.environ.get("ML_AGENT_CACHE_DIR") or user_cache_path("ml-agent"))
    try:
        found = folder.stat()
    except OSError:
        return folder
    if _is_own(found):
        return folder
    own = folder / f"user-{os.geteuid()}"
    try:
        own.mkdir(mode=0o700, exist_ok=True)
        found = own.lstat()
    except OSError:
        return own  # whoever writes there says what is wrong
    if not stat.S_ISDIR(found.st_mode) or not _is_own(found):
        raise PermissionError(
            f"the cache folder {own} can be changed by other users: choose another one (ML_AGENT_CACHE_DIR)"
        )
    return own


def _is_own(found: os.stat_result) -> bool:
    """Whether a folder is this user's and nobody else may write there; a group that is called as he is holds nobody else."""
    shared = found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not _is_own_group(found.st_gid))
    return found.st_uid == os.geteuid() and not shared


def _is_own_group(group: int) -> bool:
    """Whether a group is this user's alone: some machines have one, `users`, for everybody."""
    try:
        name, found = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == name and set(found.gr_mem) <= {name}


# Results of functions of texts, kept while the texts are short.

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")

_LONGEST = 300
"""Characters of a name, a value or a phrase; a longer text is worked out anew each time."""


def remembered(
    entries: int, longest: int = _LONGEST
) -> Callable[[Callable[[*_Arguments], _Result]], Callable[[*_Arguments], _Result]]:
    """`functools.lru_cache` for functions of texts of which none may be long.

    A bound on entries alone leaves the memory unbounded: texts come from repositories, and whoever writes one
    chooses how long they are.

    Args:
        entries: how many results are kept at most.
        longest: characters of a text whose result is kept.

    Returns:
        What decorates a function whose arguments are all texts, given by position.
    """

    def decorate(function: Callable[[*_Arguments], _Result]) -> Callable[[*_Arguments], _Result]:
        kept = lru_cache(maxsize=entries)(function)

        @wraps(function)
        def call(*texts: *_Arguments) -> _Result:
            for text in texts:
                if len(text) > longest:  # type: ignore[arg-type]
                    return function(*texts)
            return kept(*texts)

        return call

    return decorate


_Made = TypeVar("_Made")


class OnDemand(Mapping[str, _Made]):
    """What is made of each of some names, each at the first time that it is asked for."""

    def __init__(self, names: Iterable[str], make: Callable[[str], _Made]) -> None:
        self._names, self._make = dict.fromkeys(names), make
        self._made: dict[str, _Made] = {}

    def __getitem__(self, name: str) -> _Made:
        if name not in self._made:
            self._names[name]
            self._made[name] = self._make(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
