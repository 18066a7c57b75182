"""What of the repository an answer's own code takes away or writes over, although nothing of it is carried out here."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import seen

FIRST = ("remove", "unlink", "rmdir", "removedirs", "truncate", "rmtree", "write_text", "write_bytes")
SECOND = ("copy", "copy2", "copyfile")
BOTH = ("rename", "replace", "move")
_there, _real = os.path.lexists, os.path.realpath
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


def _asked_by_answer() -> bool:
    """Whether of all code but that of libraries the answer's stands nearest."""
    scope, frame = seen.SEEN.scope, sys._getframe(1)
    while scope is not None and frame.f_back is not None and not scope.has(frame.f_code.co_filename):
        frame = frame.f_back
    return scope is not None and frame.f_code.co_filename == scope.answer
