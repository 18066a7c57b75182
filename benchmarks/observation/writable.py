"""What an answer's shell may change of a repository, in memory: folders to which files are added, and scripts that may be run."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from ml_agent.tools.commandline.shell import parse_command

MOST_ENTRIES = 300
"""Each costs a mount; a repository with more in these folders stays closed."""
MOST_BYTES = 1_000_000
"""Of a script that may be run; each is copied."""
_PROCESS = re.compile(r"[<>]\(([^()]*)\)")
"""The command whose output, or input, stands in the place of a file."""
_LITERAL = re.compile(r"(?![<>]\()[^$`*?~&\0]+")
"""The target of a redirection that says where it leads."""
_SCRIPT = re.compile(r"[\w./-]*\w")


def mounts(root: Path, workdir: Path, text: str) -> list[str]:
    """The words that show a repository: the folders into which a shell text writes may be added to; all else is to read."""
    line = parse_command(text, prompts=False)
    places = [*_redirected(text, workdir, ">"), *(one for one in _redirected(text, workdir, "<") if not _there(one))]
    makers = (one for one in line.invocations if one.program in ("mkdir", "tee"))
    places += [workdir / (one.folder or ".") / word for one in makers for word in one.words if not word.startswith("-")]
    folders = {_nearest_folder(place, root) for place in places}
    opened = {one for folder in folders for one in (folder, *folder.parents) if one.is_relative_to(root)}
    listed = {folder: list(folder.iterdir()) for folder in sorted(opened)}
    if not opened or sum(map(len, listed.values())) > MOST_ENTRIES:
        return ["--ro-bind", str(root), str(root)]
    words: list[str] = []
    for folder, entries in listed.items():
        words += ["--tmpfs", str(folder)]
        words += [word for entry in sorted(entries) if entry not in opened for word in _mount(entry)]
    return words


def _there(place: Path) -> bool:
    try:
        return os.path.lexists(place)
    except ValueError:  # no name of a file
        return False


def _nearest_folder(place: Path, root: Path) -> Path:
    """The folder of the repository that is there and is nearest above a place; its root for a place elsewhere."""
    try:
        folder = next(one.resolve() for one in place.parents if one.is_dir())
    except (OSError, ValueError):  # too long a name, or none
        return root
    return folder if folder.is_relative_to(root) else root


def _mount(entry: Path) -> list[str]:
    if entry.is_symlink():
        return ["--symlink", str(entry.readlink()), str(entry)]
    return ["--ro-bind", str(entry), str(entry)]


def files_of_the_user(text: str, workdir: Path) -> str:
    """What makes files that the answer reads from standard input, and that are its user's, stand there empty, in words of a shell.

    The folders of the files that it writes are made as well.
    """
    inputs = {place for place in _redirected(text, workdir, "<") if not _there(place)}
    folders = {one.parent for one in (*inputs, *_redirected(text, workdir, ">")) if not _there(one.parent)}
    quoted = [[f"'{str(one).replace(chr(39), '')}'" for one in sorted(places)] for places in (folders, inputs)]
    made = [f"mkdir -p {place}; " for place in quoted[0]] + [f": > {place}; " for place in quoted[1]]
    return f"{{ {''.join(made)}}} 2>/dev/null; " if made else ""


def _redirected(text: str, workdir: Path, sign: str) -> Iterator[Path]:
    """The files that stand behind `<`, or behind `>` and `>>`, as far as the text says which."""
    for part in (text, *_PROCESS.findall(text)):
        line = parse_command(part, prompts=False)
        for one in line.redirections:
            target = one.target
            for name, value in line.assignments:
                plain = target.replace(f"${{{name}}}", value)
                target = re.sub(rf"\${name}\b", value.replace("\\", r"\\"), plain)
            if one.sign.strip("012&|") in (sign, ">" + sign) and _LITERAL.fullmatch(target):
                yield workdir / (one.folder or ".") / target


def executable_copies(root: Path, workdir: Path, text: str, store: Path) -> list[str]:
    """The words that show copies of files in their place: an answer that uses `chmod` may run the scripts that it names."""
    named = sorted(set(_SCRIPT.findall(text))) if re.search(r"\bchmod\b", text) else []
    places = {Path(os.path.normpath(workdir / name)) for name in named[:MOST_ENTRIES]}
    words: list[str] = []
    for number, file in enumerate(sorted(place for place in places if place.is_relative_to(root))):
        if len(str(file)) < 200 and file.is_file() and not file.is_symlink() and file.stat().st_size <= MOST_BYTES:
            copy = store / f"executable-{number}"
            shutil.copy2(file, copy)  # as old as it is
            copy.chmod(0o755)
            words += ["--ro-bind", str(copy), str(file)]
    return words
