"""What of the repository an answer's own code takes away or writes over, although nothing of it is carried out here."""

import glob
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from . import seen

FIRST = ("remove", "unlink", "rmdir", "removedirs", "truncate", "rmtree", "write_text", "write_bytes")
SECOND = ("copy", "copy2", "copyfile")
BOTH = ("rename", "replace", "move")
REMOVES = ("rm", "mv", "unlink", "rmdir", "shred", "truncate")
"""Programs of the shell that do it."""
_there, _real, _expand = os.path.lexists, os.path.realpath, glob.glob
"""As they were before anything was replaced."""


def silenced(name: str) -> Callable[..., None]:
    """What stands in for a function that changes files: it does nothing, but what it would destroy is noted."""
    first, behind = (
        (0 if name in (*FIRST, *BOTH) else 1),
        {**dict.fromkeys(FIRST, 1), **dict.fromkeys((*SECOND, *BOTH), 2)}.get(name, 0),
    )

    def nothing(*args: Any, **kwargs: Any) -> None:
        note([*args, *kwargs.values()][first:behind])

    return nothing


def note(paths: Sequence[Any]) -> None:
    """Remember what is there in the repository of paths that the answer's own code destroys."""
    scope = seen.SEEN.scope
    if not seen.SEEN.on or scope is None or not _asked_by_answer():
        return
    for path in (p for p in paths if isinstance(p, (str, os.PathLike)) and _there(p)):
        full = _real(path)
        if full.startswith(scope.root) and scope.name(full) not in seen.SEEN.destroyed:
            seen.SEEN.destroyed.append(scope.name(full))


def not_started(result: Any) -> Callable[..., Any]:
    """What stands in for a function that starts a program: it starts none and gives a result, but what it would destroy is noted."""

    def nothing(command: Any = "", *args: Any, **kwargs: Any) -> Any:
        if isinstance(command, (str, list, tuple)):
            text = command if isinstance(command, str) else shlex.join(map(str, command))
            note(list(_destroyed_by(text)))
        return result

    return nothing


def _destroyed_by(text: str) -> Iterator[str]:
    """The paths that the commands of a shell text take away or write over."""
    folder = "."
    for line in re.split(r"&&|\|\||[;|\n]", text):
        target = re.search(r"(?<![<>&\d])>\s*([^\s&<>]+)", line)
        try:
            words = shlex.split(line)
        except ValueError:
            words = line.split()
        operands = [word for word in words[1:] if not word.startswith("-")]
        if words[:1] == ["cd"] and operands:
            folder = str(Path(folder, operands[0]))
        removed = operands if words and words[0] in REMOVES else []
        for word in [*removed, *([target[1]] if target else [])]:
            place = str(Path(folder, word))
            yield from [place] if _there(place) else _expand(place)


def _asked_by_answer() -> bool:
    """Whether of all code but that of libraries the answer's stands nearest."""
    scope, frame = seen.SEEN.scope, sys._getframe(1)
    while scope is not None and frame.f_back is not None and not scope.has(frame.f_code.co_filename):
        frame = frame.f_back
    return scope is not None and frame.f_code.co_filename == scope.answer
