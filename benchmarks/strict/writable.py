"""Folders of a repository in which an answer's shell may make new files: in memory, what is there stays as it is."""

import re
from collections.abc import Iterable
from pathlib import Path

from tools.commandline.shell import parse_command

MOST_ENTRIES = 300
"""Each costs a mount; a repository with more in these folders stays closed."""
MAKES = "mkdir"
DESCRIPTOR = re.compile(r"&?\d*-?")
"""Behind a sign of redirection: another descriptor, and no file."""


def written_folders(text: str, workdir: Path, root: Path) -> set[Path]:
    """The folders of the repository into which a shell text redirects or in which it makes folders."""
    found: set[Path] = set()
    for invocation in parse_command(text).invocations:
        targets = [target for sign, target in invocation.redirects if ">" in sign and not DESCRIPTOR.fullmatch(target)]
        if invocation.program == MAKES:
            targets += [word for word in invocation.words if not word.startswith("-")]
        places = (workdir / (invocation.folder or ".") / target for target in targets)
        found |= {folder for place in places if (folder := _nearest(place, root)) is not None}
    return found


def _nearest(place: Path, root: Path) -> Path | None:
    """The folder that is there and nearest above a place; None where that is not in the repository."""
    try:
        folder = next((one.resolve() for one in place.parents if one.is_dir()), root)
    except (OSError, ValueError):  # too long a name, or none
        return None
    return folder if folder.is_relative_to(root) else None


def mounts(root: Path, folders: Iterable[Path]) -> list[str]:
    """The words that show a repository: these folders, and those above them, may be added to; all else is to read."""
    opened = {one for folder in folders for one in (folder, *folder.parents) if one.is_relative_to(root)}
    listed = {folder: list(folder.iterdir()) for folder in sorted(opened)}
    if not opened or sum(map(len, listed.values())) > MOST_ENTRIES:
        return ["--ro-bind", str(root), str(root)]
    words: list[str] = []
    for folder, entries in listed.items():
        words += ["--tmpfs", str(folder)]
        words += [word for entry in sorted(entries) if entry not in opened for word in _mount(entry)]
    return words


def _mount(entry: Path) -> list[str]:
    if entry.is_symlink():
        return ["--symlink", str(entry.readlink()), str(entry)]
    return ["--ro-bind", str(entry), str(entry)]
