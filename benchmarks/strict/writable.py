"""What an answer's shell may change of a repository, in memory: folders to which files are added, and scripts that may be run."""

import itertools
import os
import posixpath
import re
import shutil
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from ml_agent.matching.variables import expand
from ml_agent.tools.commandline.shell import parse_command

MOST_ENTRIES = 300
"""Each costs a mount; a repository with more in these folders stays closed."""
MOST_BYTES = 1_000_000
"""Of a script that may be run; each is copied."""
MOST_PATTERNS = 100
"""Words of one `chmod` that are looked up."""
MOST_PARTS = 20
MOST_NAME = 255
"""Folders of such a word, and bytes of each."""
MAKES = "mkdir"
DESCRIPTOR = re.compile(r"&?\d*-?")
"""Behind a sign of redirection: another descriptor, and no file."""

_LITERAL = re.compile(r"(?![<>]\()[^$`*?~&\0]+")
"""The target of a redirection that says where it leads."""
_PROCESS = re.compile(r"[<>]\(([^()]*)\)")
"""The command whose output, or input, stands in the place of a file."""
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
    targets += [("", str(file)) for file in missing_inputs(text, workdir)]
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


def missing_inputs(text: str, workdir: Path) -> list[Path]:
    """The files that a shell text gives to standard input and that are not there."""
    return sorted({place for place in _find_redirected(text, workdir, ("<", "0<")) if not os.path.lexists(place)})


def missing_folders(text: str, workdir: Path) -> list[Path]:
    """The folders of the files into which a shell text redirects, where they are not there."""
    kept = {place.parent for place in _find_redirected(text, workdir, (">", ">>", ">|", "1>", "1>>", "&>", "&>>"))}
    return sorted(folder for folder in kept if not os.path.lexists(folder))


def _find_redirected(text: str, workdir: Path, signs: Collection[str]) -> Iterator[Path]:
    """The files that stand behind signs of redirection, as far as the text says which."""
    for part in (text, *_PROCESS.findall(text)):
        line = parse_command(part, prompts=False)
        for sign, target, folder in line.redirections:
            place = expand(target, dict(line.assignments))
            if sign in signs and _LITERAL.fullmatch(place):
                yield workdir / (folder or ".") / place


def executables(text: str, workdir: Path, root: Path) -> Iterator[Path]:
    """The files of the repository that a shell text lets its user run: `chmod +x run.sh`."""
    for invocation in parse_command(text, prompts=False).invocations:
        mode, *names = [word for word in invocation.words if re.match(r"-[A-Za-z-]", word) is None] or [""]
        if invocation.program == "chmod" and _MAY_RUN.fullmatch(mode):
            places = dict.fromkeys(posixpath.join(workdir, invocation.folder or ".", name) for name in names)
            for place in itertools.islice(places, MOST_PATTERNS):
                yield from _matching(place, root)


def _matching(pattern: str, root: Path) -> Iterator[Path]:
    """The files of the repository that a word names, or that a folder which it names holds."""
    inside = posixpath.relpath(pattern, root) if "\0" not in pattern else ".."
    parts = inside.split("/")
    many = len(parts) > MOST_PARTS or parts.count("**") > 1 or any(len(os.fsencode(part)) > MOST_NAME for part in parts)
    if many or parts[0] == "..":
        return
    wild = "/".join(part if part == "**" else re.sub(r"\*+", "*", part) for part in parts)
    try:
        for place in root.glob(wild) if _WILD.search(inside) else [root / inside]:
            files = place.rglob("*") if place.is_dir() else [place]
            yield from (one for one in files if one.is_file() and one.resolve().is_relative_to(root))
    except (OSError, ValueError, re.error):  # no pattern, or too long a path
        return


def executable_copies(files: Iterable[Path], store: Path) -> list[str]:
    """The words that show copies in the place of files: these may be run."""
    words: list[str] = []
    small = {file for file in files if file.stat().st_size <= MOST_BYTES}
    for number, file in enumerate(sorted(small)[:MOST_ENTRIES]):
        copy = store / f"executable-{number}"
        shutil.copy2(file, copy)  # as old as it is
        copy.chmod(0o755)
        words += ["--ro-bind", str(copy), str(file)]
    return words
