"""Which files of a folder git leaves out, as its `.gitignore` files say."""

import os
import re
import time
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ml_agent.tools.errors import RepositoryError, ToolError
from ml_agent.tools.files import Tree

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_BYTES = 256 * 1024
_MOST_LINES = 2000
_MOST_DEEP = 3
"""A pattern with more `**/` is left alone: matching takes time that grows with this power of the path's length."""
_SECONDS = 60.0
"""Processor time for all paths of a tree."""
_DEEP = re.compile(r"(?:\*\*/)+")
_STARS = re.compile(r"(?:\[\^/\]\*)+")
_BETWEEN_STARS = re.compile(r"\[\^/\]\*((?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^]\[(){}*+?.^$|\\/])+)(?=\[\^/\]\*)")
"""A star, and what stands between it and the next one of the same name."""


class Ignored:
    """The rules of every `.gitignore` in a tree; `exclude` is the text of the work tree's own list."""

    def __init__(self, tree: Tree, exclude: str = "") -> None:
        self._tree, self._spent = tree, 0.0
        self._exclude = _rules(exclude)
        self._folder = lru_cache(maxsize=None)(self._decide)
        self._rules_in = lru_cache(maxsize=None)(self._read)

    def path(self, path: str) -> bool:
        """Whether a file is ignored, itself or with a folder that it is in.

        Raises RepositoryError where the rules take longer than anybody's.
        """
        if self._spent > _SECONDS:
            raise RepositoryError(
                f"applying the .gitignore files of {self._tree.root} takes too long: give a smaller folder"
            )
        began = time.thread_time()
        above = [folder.as_posix() for folder in PurePosixPath(path).parents][-2::-1]
        said = any(self._folder(f"{folder}/") for folder in above) or self._decide(path)
        self._spent += time.thread_time() - began
        return said

    def _decide(self, path: str) -> bool:
        """The deepest rules that speak of a path decide."""
        parts = PurePosixPath(path).parts
        end = "/" if path.endswith("/") else ""
        for depth in range(len(parts) - 1, -1, -1):
            rules = self._rules_in("/".join(parts[:depth]))
            said = rules.check_file("/".join(parts[depth:]) + end).include if rules is not None else None
            if said is not None:
                return said
        return bool(self._exclude.check_file(path).include)

    def _read(self, folder: str) -> "GitIgnoreSpec | None":
        if not os.path.lexists(
            self._tree.root / folder / ".gitignore"
        ):  # most have none, and to follow a path costs more
            return None
        try:
            return _rules(self._tree.read_text(f"{folder}/.gitignore".lstrip("/"), _BYTES))
        except (OSError, ToolError):
            return None


def _rules(text: str) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec  # needed for work trees of the user's

    lines = [line for line in text.splitlines()[:_MOST_LINES] if len(line) <= 500]
    simple = [line for line in lines if len(_DEEP.findall(line)) <= _MOST_DEEP]
    try:
        made = GitIgnoreSpec.from_lines(simple)
    except ValueError:
        made = GitIgnoreSpec.from_lines([line for line in simple if _is_understood(line)])
    for rule in made.patterns:
        if rule.regex is not None:
            rule.regex = re.compile(_without_second_tries(rule.regex.pattern))
    return made


def _without_second_tries(pattern: str) -> str:
    """The same rule, in which a star takes up to the first place that what follows it fits: later ones give nothing that it does not."""
    return _BETWEEN_STARS.sub(r"(?>[^/]*?\1)", _STARS.sub("[^/]*", pattern))


def _is_understood(line: str) -> bool:
    """Whether git would make something of a line."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def ignored_in(root: Path) -> Ignored | None:
    """The rules of a work tree of git's; None for another folder."""
    control = root / ".git"
    if not control.exists():
        return None
    try:
        exclude = "" if control.is_symlink() else Tree(control).read_text("info/exclude", _BYTES)
    except (OSError, ToolError):
        exclude = ""
    return Ignored(Tree(root), exclude)
