"""Files going into and out of a sandbox: nothing that points outside the folder it came from."""

import shutil
import tarfile
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.held_folder import HeldFolder
from ml_agent.sandbox.inner_path import InnerPath, safe_relative
from ml_agent.tools.walk import Walk

NOT_OUTPUT = frozenset({"__pycache__", ".git", ".pytest_cache", ".cache", ".ipynb_checkpoints"})
"""Folders in which a file is no sign of a program at work."""
NOT_OUTPUT_ENDINGS = (".pyc", ".pyo", ".lock")


def entries(source: Path) -> Iterator[tuple[Path, InnerPath]]:
    """All folders, regular files and harmless links below a folder, each with its relative path; parents first.

    Left out: symbolic links that leave `source` (or that `source` itself does not resolve), devices, pipes, sockets.
    """
    root = source.resolve()
    for entry in Walk(root):
        path = root / entry.path
        if entry.is_folder or entry.is_file or (entry.is_link and _stays_inside(path, root)):
            yield path, safe_relative(entry.path)


def copy_tree(source: Path, workspace: HeldFolder, target: InnerPath) -> None:
    """Copy a file or a folder's content to `target` in a workspace, merging with what is there; links as in `entries`."""
    if source.is_file():
        workspace.write(target, source.resolve(), _mode(source))
        return
    workspace.make_folder(target)
    for path, relative in entries(source):
        if path.is_symlink():
            workspace.link(target / relative, path.readlink())
        elif path.is_dir():
            workspace.make_folder(target / relative)
        else:
            workspace.write(target / relative, path, _mode(path))


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777 | 0o600


def write_tar(source: Path, target: InnerPath, out: IO[bytes], owner: int) -> None:
    """Write a file or a folder's content as a tar archive with every path below `target`, owned by the user `owner`."""
    with tarfile.open(fileobj=out, mode="w") as tar:
        for parent in reversed(target.pure.parents):
            if parent != PurePosixPath("."):
                tar.addfile(_folder(parent, owner))
        if source.is_file():
            _add(tar, source.resolve(), target, owner)
            return
        if not target.is_top:
            tar.addfile(_folder(target.pure, owner))
        for path, relative in entries(source):
            _add(tar, path, target / relative, owner)


def content_size(source: Path) -> int:
    """Bytes of what is copied of a file or a folder; a file with holes counts as it will lie there, whole."""
    if source.is_file():
        return source.stat().st_size
    return sum(path.lstat().st_size for path, _ in entries(source) if path.is_file())


def check_room(source: Path, most: int | None, place: Path) -> None:
    """Raises SandboxUnavailableError where a copy would be larger than a sandbox may be, or than what is free at `place`."""
    size, free = content_size(source), shutil.disk_usage(place).free
    room = free if most is None else min(free, most)
    if size > room:
        raise SandboxUnavailableError(
            f"{source.name} has {size / 1024**3:.1f} GB, and the sandbox has room for {room / 1024**3:.1f} GB: "
            "give a folder without its largest files"
        )


def newer_file(folder: Path, since_ns: int) -> bool:
    """Whether a non-empty file below `folder`, not a cache or a lock, was written after a time (nanoseconds)."""
    return any(
        entry.status.st_mtime_ns > since_ns and entry.status.st_size and not entry.path.endswith(NOT_OUTPUT_ENDINGS)
        for entry in Walk(folder, lambda one: one.path.rpartition("/")[2] in NOT_OUTPUT)
        if not entry.is_folder
    )


class DiskUsage(NamedTuple):
    """What a sandbox takes of the disk, as far as it can be seen."""

    size: int
    """Bytes on disk; of a sparse file only what is written."""
    files: int
    """Files and folders."""
    whole: bool = True
    """False where something was there that could not be counted."""


def disk_usage(folders: Iterable[Path]) -> DiskUsage:
    """What the disk holds of everything below some folders; a file of several names counts once."""
    size = number = 0
    linked: set[tuple[int, int]] = set()
    walks = [Walk(folder) for folder in folders]
    for entry in chain.from_iterable(walks):
        number += 1
        if entry.status.st_nlink > 1 and not entry.is_folder:
            same = (entry.status.st_dev, entry.status.st_ino)
            if same in linked:
                continue
            linked.add(same)
        size += entry.status.st_blocks * 512
    return DiskUsage(size, number, all(walk.whole for walk in walks))


def _add(tar: tarfile.TarFile, path: Path, name: InnerPath, owner: int) -> None:
    info = tar.gettarinfo(str(path), arcname=str(name))
    info.uid = info.gid = owner
    info.uname = info.gname = ""
    info.mode = info.mode & 0o777 | (0o700 if info.isdir() else 0o600)
    if info.islnk():  # a hard link's other name may lie outside of what is copied
        info.type, info.linkname, info.size = tarfile.REGTYPE, "", path.stat().st_size
    if info.isreg():
        with path.open("rb") as file:
            tar.addfile(info, file)
    else:
        tar.addfile(info)


def _folder(name: PurePosixPath, owner: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(str(name))
    info.type, info.mode, info.uid, info.gid = tarfile.DIRTYPE, 0o755, owner, owner
    return info


def _stays_inside(link: Path, root: Path) -> bool:
    target = link.readlink()
    return not target.is_absolute() and link.resolve().is_relative_to(root)
