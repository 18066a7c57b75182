"""Says more of a failure than its output does, by looking at the repository's files."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from ml_agent.sandbox.diagnosis.model import Diagnosis
from ml_agent.sandbox.repository_search import files, same_file_elsewhere, unbuilt
from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.remotes import absent_submodules

_POINTER = "version https://git-lfs.github.com/spec"
WORKSPACE = re.compile(r"(?:/.*/sandbox-\w+)?/workspace/(?=.)")
"""Where sandboxes have the repository."""
_LACKS = re.compile(r"cannot import name '(?P<name>\w+)' from (?:partially initialized module )?'(?P<of>[\w.]+)'")


class RunLocation(msgspec.Struct, frozen=True, kw_only=True):
    """Where a command ran."""

    root: Path
    """The repository on the host."""
    folder: str = "."
    """Relative to the root."""
    entry: Path | None = None
    """The script, absolute."""


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
    """A module that only an empty submodule, or a build, would give."""
    parts = diagnosis.subject.split(".")
    if empty := _empty_submodule(place, parts):
        message = f"the module {diagnosis.subject} would come from a submodule of the repository that is empty: {empty}"
        return msgspec.structs.replace(diagnosis, code="missing-submodule", message=message, fix=None)
    if source := unbuilt(place.root, parts):
        message = f"the module {diagnosis.subject} is not built: it would be compiled from {source}"
        return msgspec.structs.replace(diagnosis, message=message, fix=None)
    return diagnosis


def _name(diagnosis: Diagnosis, place: RunLocation) -> Diagnosis:
    """A name that a module lacks, where it is a module that only an empty submodule or a build would give."""
    found = _LACKS.search("\n".join(diagnosis.evidence))
    parts = [*found["of"].split("."), found["name"]] if found else []
    if not parts or not (_empty_submodule(place, parts) or unbuilt(place.root, parts)):
        return diagnosis
    changed = msgspec.structs.replace(
        diagnosis, code="missing-module", category="environment", subject=".".join(parts), fix=None
    )
    return _module(changed, place)


def _empty_submodule(place: RunLocation, parts: Sequence[str]) -> str:
    """The empty submodule that is called like the package, or just like a part below it; "" where none is."""
    plain = [re.sub(r"[-_.]", "", part.lower()) for part in parts]
    for path in absent_submodules(RepoIndex(place.root, "")):
        name = re.sub(r"[-_.]", "", PurePosixPath(path).name.lower())
        if name in plain or name.startswith(plain[0]) or plain[0].startswith(name):
            return path
    return ""


def _file(diagnosis: Diagnosis, place: RunLocation) -> Diagnosis:
    path = diagnosis.subject
    if diagnosis.fix is not None or not path:
        return diagnosis
    folder = same_file_elsewhere(place.root, path, place.entry, place.folder)
    if folder is not None:
        message = f"{path} is not here but in {folder}: run the command from {folder}"
        return msgspec.structs.replace(diagnosis, code="wrong-folder", category="arguments", message=message)
    inside = f"{place.folder}/{path}".removeprefix("./") + " in the repository"
    where = f"{path}, a place outside the repository" if path.startswith("/") else inside
    return msgspec.structs.replace(diagnosis, message=f"{diagnosis.message}: it is expected at {where}")


REFINERS: dict[str, Callable[[Diagnosis, RunLocation], Diagnosis]] = {
    "lfs-pointer": _pointer,
    "missing-module": _module,
    "cannot-import-name": _name,
    "missing-file": _file,
}
"""Code of a failure -> what looks at the files for it."""
