"""Where the words of a command lead in a repository: scripts, folders and files, seen from a working folder."""

import difflib
import posixpath
from collections.abc import Iterable, Sequence
from functools import cached_property

from ml_agent.tools.files import folders_of

UNKNOWN_MARKS = ("$", "*", "`", "<", ">", "{", "~", "://")


class PathIndex:
    """The files and folders of a repository by path."""

    def __init__(self, files: Iterable[str]) -> None:
        self.files = frozenset(files)

    @cached_property
    def folders(self) -> frozenset[str]:
        """All folders, "." for the root."""
        return folders_of(self.files)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """File name -> paths."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            found.setdefault(posixpath.basename(path), []).append(path)
        return found

    def has(self, path: str) -> bool:
        """Whether this is a file or a folder."""
        return path in self.files or path in self.folders

    def suggest(self, path: str, folder: str, entry_points: Sequence[str] = ()) -> str:
        """The file that was probably meant, seen from `folder`; "" where nothing is near.

        Args:
            path: the path that is not there.
            folder: where the command runs.
            entry_points: files beside it that can be run; a single one is what was meant.
        """
        found = self._same_name(path) or self._near(path, entry_points)
        return posixpath.relpath(found, folder or ".") if found else ""

    def _same_name(self, path: str) -> str:
        """The only file of that name, the only one below the folder, or the only one whose path ends like this one."""
        same = self.by_name.get(posixpath.basename(path), [])
        if len(same) == 1:
            return same[0]
        parent = posixpath.dirname(path)
        below = [p for p in same if p.startswith(parent + "/")]
        if parent and len(below) == 1:
            return below[0]
        tail = path.lstrip("./")
        while "/" in tail:
            fitting = [p for p in same if p == tail or p.endswith("/" + tail)]
            if len(fitting) == 1:
                return fitting[0]
            tail = tail.partition("/")[2]
        return ""

    def _near(self, path: str, entry_points: Sequence[str]) -> str:
        """A file of the same kind and nearly the same name: beside it first, then anywhere."""
        if len(entry_points) == 1:
            return entry_points[0]
        suffix = posixpath.splitext(path)[1]
        parent = posixpath.dirname(path)
        beside = [p for p in self.files if posixpath.dirname(p) == parent]
        for places, cutoff in ((entry_points, 0.5), (beside, 0.6), (self.files, 0.8)):
            names = {posixpath.basename(p): p for p in sorted(places) if p.endswith(suffix)}
            close = difflib.get_close_matches(posixpath.basename(path), names, n=1, cutoff=cutoff)
            if close:
                return names[close[0]]
        return ""

    def suggest_folder(self, path: str, folder: str) -> str:
        """The only folder of that name, seen from `folder`; "" where there is none or several."""
        name = posixpath.basename(path.rstrip("/"))
        same = [p for p in self.folders if posixpath.basename(p) == name]
        return posixpath.relpath(same[0], folder or ".") if len(same) == 1 else ""


def is_literal(word: str) -> bool:
    """Whether a word is a path as it stands: no variable, pattern or placeholder."""
    return bool(word) and not any(mark in word for mark in UNKNOWN_MARKS)


def locate(folder: str, word: str) -> str | None:
    """The path of a word seen from a folder, relative to the root; None where it is absolute or leaves the tree."""
    if word.startswith("/"):
        return None
    path = posixpath.normpath(posixpath.join(folder, word))
    return None if path == ".." or path.startswith("../") else path
