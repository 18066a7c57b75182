"""Submodules of git that a clone has not checked out: why files are missing that the repository speaks of."""

import configparser
import posixpath
from collections.abc import Collection, Iterable
from itertools import islice

from ml_agent.tools.config_text import read_ini
from ml_agent.tools.errors import UnsafePathError
from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex

MAX_SUBMODULES = 200
_FILE = ".gitmodules"


def absent_submodules(index: RepoIndex) -> tuple[str, ...]:
    """The folders that .gitmodules names and that hold no file; () where it is not there or cannot be read."""
    files = index.files
    if _FILE not in files:
        return ()
    try:
        parser = read_ini("\n".join(map(str.strip, Tree(index.root).read_text(_FILE).splitlines())))
    except (configparser.Error, OSError, UnsafePathError):
        return ()
    named = [posixpath.normpath(parser.get(section, "path", fallback=".")) for section in parser.sections()]
    return tuple(path for path in islice(named, MAX_SUBMODULES) if path != "." and not _holds(path, files))


def submodule_of(paths: Iterable[str], absent: Collection[str]) -> str:
    """The first absent submodule that is one of the paths or holds one; "" where none is."""
    return next((one for path in paths for one in absent if f"{path}/".startswith(f"{one}/")), "")


def say_absent(submodules: Iterable[str]) -> str:
    """One line about submodules that are not checked out."""
    named = list(submodules)
    what = "is a submodule that is" if len(named) == 1 else "are submodules that are"
    return (
        f"{', '.join(named[:3])}{', …' if len(named) > 3 else ''} {what} not checked out: git submodule update --init"
    )


def _holds(folder: str, files: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for path in files)
