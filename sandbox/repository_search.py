"""Finds in a repository what a failure asks for: a module, a file elsewhere. Reads only."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from ml_agent.tools.foreign_files import exists, is_file

MAX_FILES = 3000
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", "site-packages", ".venv", "venv"})
_COMPILED = (".pyx", ".cpp", ".c", ".cc", ".cu", ".f90", ".f", ".rs")


def files(root: Path, endings: tuple[str, ...] = ()) -> Iterator[Path]:
    """Files of a repository, its top first; no pipes, dead links, names that cannot be shown."""
    count = 0
    for folder, names, found in os.walk(root):
        names[:] = sorted(name for name in names if name not in _SKIPPED and name.isprintable())
        for name in sorted(filter(str.isprintable, found)):
            if not endings or name.endswith(endings):
                count += 1
                path = Path(folder, name)
                if is_file(path):
                    yield path
        if count > MAX_FILES:
            return


def module_places(root: Path, module: str, near: Path) -> list[str]:
    """Folders of the repository, relative to it, from which a module can be imported; those around `near` first."""
    root = root.resolve()
    found = []
    for path in files(root, (".py",)):
        if path.name == f"{module}.py":
            found.append(path.parent)
        elif path.parent.name == module:
            found.append(path.parent.parent)
    inside = [place for place in dict.fromkeys(found) if place.is_relative_to(root)]
    above = set(near.resolve().parents) | {near.resolve()}
    inside.sort(key=lambda place: (place not in above, len(place.parts)))
    return [place.relative_to(root).as_posix() for place in inside][:3]


def unbuilt(root: Path, parts: Sequence[str]) -> str:
    """The source, relative to the root, from which a dotted module would be compiled; "" where it is none, or is there as Python."""
    for place in (root, root / "src", root / "lib", root / "python"):
        here = place.joinpath(*parts)
        if exists(here.with_suffix(".py")) or exists(here):
            return ""
        for ending in _COMPILED:
            if is_file(here.with_suffix(ending)):
                return here.with_suffix(ending).relative_to(root).as_posix()
    return ""


def same_file_elsewhere(root: Path, path: str, entry: Path | None, folder: str) -> str | None:
    """The folder, relative to the root, from which a relative path that was not found exists; the script's own first."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or not pure.parts or ".." in pure.parts:
        return None
    root = root.resolve()
    places = [entry.parent, *entry.parent.parents] if entry else []
    here = (root / folder).resolve()
    for place in [*places, root]:
        if place.is_relative_to(root) and place.resolve() != here and exists(place / path):
            return place.relative_to(root).as_posix()
    return None
