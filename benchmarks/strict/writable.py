"""What an answer's shell may change of a repository, in memory: folders to which files are added, and scripts that may be run."""

import posixpath
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.commandline.shell import parse_command

MOST_ENTRIES = 300
"""Each costs a mount; a repository with more in these folders stays closed."""
MOST_BYTES = 1_000_000
"""Of a script that may be run; each is copied."""
MAKES = "mkdir"
DESCRIPTOR = re.compile(r"&?\d*-?")
"""Behind a sign of redirection: another descriptor, and no file."""

_WILD = re.compile(r"[*?[]")
_MAY_RUN = re.compile(r"[0-7]?[1357][0-7]{2}|(?:[ugoa]*[-+=]\w*,)*(?:[ua][ugoa]*)?[+=]\w*x\w*(?:,.*)?")
"""Modes of `chmod` with which the owner may run a file."""


def written_folders(text: str, workdir: Path, root: Path) -> set[Path]:
    """The folders of the repository into which a shell text redirects or in which it makes folders."""
    found: set[Path] = set()
    line = parse_command(text, prompts=False)
    targets = [(one.folder, one.target) for one in line.redirections if ">" in one.sign]
    for invocation in line.invocations:
        if invocation.program == MAKES:
            targets += [(invocation.folder, word) for word in invocation.words if not word.startswith("-")]
    for folder, target in targets:
        place = _nearest(workdir / (folder or ".") / target, root) if not DESCRIPTOR.fullmatch(target) else None
        found |= {place} if place is not None else set()
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


def executables(text: str, workdir: Path, root: Path) -> Iterator[Path]:
    """The files of the repository that a shell text lets its user run: `chmod +x run.sh`."""
    for invocation in parse_command(text, prompts=False).invocations:
        mode, *names = [word for word in invocation.words if re.match(r"-[A-Za-z-]", word) is None] or [""]
        if invocation.program == "chmod" and _MAY_RUN.fullmatch(mode):
            for name in names:
                yield from _matching(posixpath.join(workdir, invocation.folder or ".", name), root)


def _matching(pattern: str, root: Path) -> Iterator[Path]:
    """The files of the repository that a word names, or that a folder which it names holds."""
    inside = posixpath.relpath(pattern, root) if "\0" not in pattern else ".."
    if inside.partition("/")[0] == "..":
        return
    for place in root.glob(inside) if _WILD.search(inside) else [root / inside]:
        files = place.rglob("*") if place.is_dir() else [place]
        yield from (one for one in files if one.is_file() and one.resolve().is_relative_to(root))


def executable_copies(files: Iterable[Path], store: Path) -> list[str]:
    """The words that show copies in the place of files: these may be run."""
    words: list[str] = []
    small = {file for file in files if file.stat().st_size <= MOST_BYTES}
    for number, file in enumerate(sorted(small)[:MOST_ENTRIES]):
        copy = store / f"executable-{number}"
        shutil.copyfile(file, copy)
        copy.chmod(0o755)
        words += ["--ro-bind", str(copy), str(file)]
    return words
