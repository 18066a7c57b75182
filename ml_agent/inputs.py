"""Files of the user's that a request names: they are put where the command runs, as a person would."""

import posixpath
import re
from collections.abc import Sequence
from pathlib import Path

MOST_BYTES = 1024**3
"""Of one file; a larger one is not copied."""
_WORD = re.compile(r"[^\s\"'`“”‘’,;()\[\]{}<>|]+")


def named_inputs(instruction: str, values: Sequence[str], folder: Path, workspace: Path) -> tuple[str, ...]:
    """Relative paths that the request names, that lie in the user's folder and not in the repository's.

    Args:
        instruction: the user's own sentence.
        values: of his own options.
        folder: the user's working folder.
        workspace: where the command runs, in the checkout.
    """
    words = [word.strip(".:!?") for word in _WORD.findall(instruction)] + list(values)
    words += [word.partition("=")[2] for word in words if "=" in word]
    found = dict.fromkeys(posixpath.normpath(word) for word in words if word)
    return tuple(path for path in found if _is_input(path, folder, workspace))


def _is_input(path: str, folder: Path, workspace: Path) -> bool:
    if path.startswith(("/", "..", "~", ".")) or "\0" in path or "." not in posixpath.basename(path):
        return False
    file = folder / path
    try:
        inside = file.resolve().is_relative_to(folder.resolve())
        return inside and file.is_file() and file.stat().st_size <= MOST_BYTES and not (workspace / path).exists()
    except OSError:
        return False
