"""Says more of a failure than its output does, by looking at the repository's files."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from ml_agent.sandbox.diagnosis.model import Diagnosis
from ml_agent.sandbox.makers import MissingFile, makers_of, spelled_otherwise
from ml_agent.sandbox.repository_search import files, same_file_elsewhere, same_file_inside
from ml_agent.tools.foreign_files import read_lines, read_text

REFINED = frozenset({"wrong-folder", "missing-submodule"})
"""Codes that only the repository's files tell."""
_POINTER = "version https://git-lfs.github.com/spec"
_URL = re.compile(r"https?://[^\s)>\]\"']+")
WORKSPACE = re.compile(r"(?:/.*/sandbox-\w+)?/workspace/(?=.)")
"""Where sandboxes have the repository."""
MAX_README = 200_000


class RunLocation(msgspec.Struct, frozen=True, kw_only=True):
    """Where a command ran."""

    root: Path
    """The repository on the host."""
    folder: str = "."
    """Relative to the root."""
    entry: Path | None = None
    """The script, absolute."""
    named: frozenset[str] = frozenset()
    """Paths that the user names."""


def refine(diagnosis: Diagnosis, place: RunLocation) -> Diagnosis:
    """The diagnosis with what the repository adds to it; paths of the workspace as they are written where it ran."""
    diagnosis = _as_written_here(diagnosis, place)
    rule = REFINERS.get(diagnosis.code)
    return rule(diagnosis, place) if rule else diagnosis


def _as_written_here(diagnosis: Diagnosis, place: RunLocation) -> Diagnosis:
    def short(path: str) -> str:
        return os.path.relpath(path[len(match[0]) :], place.folder) if (match := WORKSPACE.match(path)) else path

    subject, fix = short(diagnosis.subject), diagnosis.fix
    if fix is not None and fix.kind == "folder":
        fix = msgspec.structs.replace(fix, arguments=tuple(map(short, fix.arguments)))
    message = diagnosis.message.replace(diagnosis.subject, subject) if diagnosis.subject else diagnosis.message
    return msgspec.structs.replace(diagnosis, subject=subject, message=message, fix=fix)


def _pointer(diagnosis: Diagnosis, place: RunLocation) -> Diagnosis:
    pointers = [path for path in files(place.root) if read_text(path, len(_POINTER)) == _POINTER]
    names = [path.relative_to(place.root).as_posix() for path in pointers[:5]]
    if not names:
        return diagnosis
    message = f"only pointers of Git LFS are there, not the files: {', '.join(names)} (git lfs pull fetches them)"
    return msgspec.structs.replace(diagnosis, message=message, subject=names[0])


def _module(diagnosis: Diagnosis, place: RunLocation) -> Diagnosis:
    text = read_text(place.root / ".gitmodules")
    top = diagnosis.subject.partition(".")[0].lower()
    for path in re.findall(r"^[^\S\n]*+path\s*=\s*(\S+)", text, re.MULTILINE):
        if _is_empty(place.root, path) and _same(Path(path).name, top):
            message = f"the module {diagnosis.subject} is a submodule of the repository that was not fetched ({path})"
            return msgspec.structs.replace(diagnosis, code="missing-submodule", message=message, fix=None)
    return diagnosis


def _is_empty(root: Path, path: str) -> bool:
    """Whether a folder of the repository has no module; a path that leads elsewhere is not looked at."""
    folder = (root / path).resolve()
    return folder.is_relative_to(root.resolve()) and next(files(folder, (".py",)), None) is None


def _same(folder: str, module: str) -> bool:
    plain = [re.sub(r"[-_.]", "", name.lower()) for name in (folder, module)]
    return plain[0].startswith(plain[1]) or plain[1].startswith(plain[0])


def _file(diagnosis: Diagnosis, place: RunLocation) -> Diagnosis:
    path = diagnosis.subject
    if diagnosis.fix is not None or not path:
        return diagnosis
    folder = same_file_elsewhere(place.root, path, place.entry, place.folder)
    if folder is not None:
        message = f"{path} is not here but in {folder}: run the command from {folder}"
        return msgspec.structs.replace(diagnosis, code="wrong-folder", message=message)
    missing = MissingFile(
        root=place.root, path=path, folder=place.folder, entry=place.entry, named=os.path.normpath(path) in place.named
    )
    if makers := makers_of(missing):
        return msgspec.structs.replace(diagnosis, message=f"{diagnosis.message}; `{makers[0]}` creates it")
    if other := spelled_otherwise(missing):
        return msgspec.structs.replace(diagnosis, message=f"{diagnosis.message}; {other} is there")
    said = _said_of(place.root, path)
    more = f"; the documentation says: {said}" if said else ""
    return msgspec.structs.replace(diagnosis, message=f"{diagnosis.message}: {_expected_path(path, place)}{more}")


def _expected_path(path: str, place: RunLocation) -> str:
    """Where exactly the file must be put."""
    if not path.startswith("/"):
        return f"it is expected at {f'{place.folder}/{path}'.removeprefix('./')} in the repository"
    inside = same_file_inside(place.root, path)
    known = f"; the repository has {inside}" if inside else ""
    return f"it is expected at {path}, a place outside the repository{known}"


def _said_of(root: Path, path: str) -> str:
    """The line of a README that names the file or its folder, with the address near it."""
    parts = [part for part in Path(path).parts if part not in (".", "..", "/")]
    names = [name for name in (parts[-1:] + parts[-2:-1]) if len(name) > 3]
    for readme in files(root, ("README.md", "README.rst", "README.txt", "README", "readme.md", "Readme.md")):
        lines = read_lines(readme, MAX_README)
        for name in names:
            for number, line in enumerate(lines):
                if name in line and not line.lstrip().startswith(("python", "$", "bash")):
                    near = " ".join(lines[max(0, number - 2) : number + 3])
                    address = _URL.search(line) or _URL.search(near)
                    said = " ".join(line.split())[:200]
                    return said if address is None or address[0] in said else f"{said} ({address[0]})"
    return ""


REFINERS: dict[str, Callable[[Diagnosis, RunLocation], Diagnosis]] = {
    "lfs-pointer": _pointer,
    "missing-module": _module,
    "missing-file": _file,
    "missing-data": _file,
    "missing-weights": _file,
}
"""Code of a failure -> what looks at the files for it."""
