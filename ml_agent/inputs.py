"""Files of the user's that a request names: put where the command runs, or, by absolute path, shown where they are."""

import itertools
import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.secret_files import is_secret
from tools.version_control import is_control, is_git_folder

MOST_BYTES = 1024**3
"""Of one file; a larger one is not copied."""
MOST_ENTRIES = 50_000
"""Of a folder that is looked through for names of secrets; what lies behind them is not looked at."""
_SYSTEM = (
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "proc",
    "run",
    "sbin",
    "sys",
    "usr",
    "workspace",
)
_SHARED = frozenset(map(Path, ("/", "/home", "/root", "/tmp", "/var", "/opt", "/mnt", "/media", "/srv", "/var/tmp")))
"""Folders in which things of many owners lie: never shown as a whole."""
_OURS = tuple(map(Path, ("/opt/venv", "/opt/host-python", "/home/agent", "/mnt/host", "/var/run", "/var/lib")))
_WORD = re.compile(r"[^\s\"'`“”‘’,;()\[\]{}<>|]+")


def named_inputs(instruction: str, values: Sequence[str], folder: Path, workspace: Path) -> tuple[str, ...]:
    """Relative paths that the request names, that lie in the user's folder and not in the repository's.

    Args:
        instruction: the user's own sentence.
        values: of his own options.
        folder: the user's working folder.
        workspace: where the command runs, in the checkout.
    """
    return tuple(path for path in _paths(instruction, values) if _is_input(path, folder, workspace))


def outside_inputs(instruction: str, values: Sequence[str], private: Sequence[Path]) -> tuple[Path, ...]:
    """Files and folders that the request names by absolute path, to be shown to its program where they are.

    No folder of the system's, none that many share, nothing hidden, nothing named like a secret or with such a file in it.

    Args:
        instruction: the user's own sentence.
        values: of his own options.
        private: folders of which neither a part nor what holds them may be shown.
    """
    found = [Path(path) for path in _paths(instruction, values) if path.startswith("/")]
    shown = [path for path in found if _may_be_shown(path, [one.resolve() for one in private])]
    return tuple(path for path in shown if not any(other in path.parents for other in shown))


def control_folders(shown: Sequence[Path]) -> tuple[Path, ...]:
    """Version control's own folders below what is shown: a program sees them empty."""
    found: list[Path] = []
    for place in shown:
        count = 0
        for here, folders, files in os.walk(place):
            own = [name for name in folders if is_control(name) or is_git_folder(Path(here, name))]
            found += [path for path in (Path(here, name) for name in own) if not path.is_symlink()]
            folders[:] = [name for name in folders if name not in own]
            count += len(folders) + len(files)
            if count > MOST_ENTRIES:
                break
    return tuple(found)


def _paths(instruction: str, values: Sequence[str]) -> list[str]:
    """All words of the user's, as paths."""
    words = [word.strip(".:!?") for word in _WORD.findall(instruction)] + list(values)
    words += [word.partition("=")[2] for word in words if "=" in word]
    return list(dict.fromkeys(posixpath.normpath(word) for word in words if word))


def _may_be_shown(path: Path, private: Sequence[Path]) -> bool:
    """Whether an absolute path leads, without links, to something of the user's that holds no secret by its name."""
    try:
        if path.resolve() != path or not (path.is_file() or path.is_dir()):
            return False
    except (OSError, RuntimeError, ValueError):
        return False
    if path in _SHARED or path.parts[1] in _SYSTEM or any(path.is_relative_to(one) for one in _OURS):
        return False
    holders = [*private, Path.home()]
    if any(one.is_relative_to(path) for one in holders) or any(path.is_relative_to(one) for one in private):
        return False
    names = itertools.chain(path.parts[1:], itertools.islice(_names_below(path), MOST_ENTRIES))
    return not any(is_secret(name) for name in names) and not any(part.startswith(".") for part in path.parts)


def _names_below(folder: Path) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        yield from (f"{Path(here).name}/{name}" for name in (*folders, *files))


def _is_input(path: str, folder: Path, workspace: Path) -> bool:
    if path.startswith(("/", "..", "~", ".")) or "\0" in path or "." not in posixpath.basename(path):
        return False
    if is_secret(path) or is_control(path):
        return False
    file = folder / path
    try:
        inside = file.resolve().is_relative_to(folder.resolve())
        return (
            inside
            and not is_secret(str(file.resolve()))
            and not is_control(str(file.resolve().relative_to(folder.resolve())))
            and file.is_file()
            and file.stat().st_size <= MOST_BYTES
            and not (workspace / path).exists()
        )
    except OSError:
        return False
