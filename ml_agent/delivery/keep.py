"""Brings what a run made into a folder of the user's: nothing there is replaced unless asked for, no link is followed."""

import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ml_agent.errors import UsageError
from ml_agent.files import make_writable
from ml_agent.sandbox.inner_path import InnerPath, safe_relative

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def check_folder(folder: Path) -> Path:
    """The folder by its real path. UsageError where files could not be kept there; found by making it, and what was made is removed."""
    folder = folder.resolve()
    missing = [one for one in (folder, *folder.parents) if not os.path.lexists(one)]
    try:
        make_writable(folder)
    except OSError as error:
        raise UsageError(
            f"--keep-outputs: the folder {folder} cannot be written ({error.strerror}); choose another one"
        ) from error
    finally:
        for one in missing:
            with suppress(OSError):
                one.rmdir()
    return folder


def keep_outputs(outputs: Path, paths: Sequence[str], folder: Path, force: bool) -> dict[str, Any]:
    """Copy the files `paths` of `outputs` below `folder`, each as a whole or not at all; returns what run.json tells of it.

    `folder` is as `check_folder` returned it: a link that has come into its path since then is not followed.
    Nothing is raised: the run is over, and what cannot be kept here still lies in its own folder.
    """
    try:
        root = _below(os.open("/", _FOLDER), folder.parts[1:])
    except OSError as error:
        why = f"{folder} cannot be made: {error.strerror}"
        return {"folder": str(folder), "files": [], "refused": dict.fromkeys(paths, why)}
    refused: dict[str, str] = {}
    try:
        for path in paths:
            try:
                _copy(outputs / path, root, safe_relative(path), force)
            except ValueError:
                refused[path] = "points outside the folder"
            except FileExistsError:
                refused[path] = "exists already; --force replaces it"
            except OSError as error:
                refused[path] = error.strerror or "cannot be written"
    finally:
        os.close(root)
    return {"folder": str(folder), "files": [path for path in paths if path not in refused], "refused": refused}


def _copy(source: Path, root: int, path: InnerPath, force: bool) -> None:
    here = _below(os.dup(root), path.pure.parent.parts)
    try:
        with _removed_on_error(f".{path.pure.name[:100]}.{secrets.token_hex(4)}", here) as fresh:
            with source.open("rb") as reading, os.fdopen(os.open(fresh, _NEW, 0o644, dir_fd=here), "wb") as writing:
                shutil.copyfileobj(reading, writing)
            _publish(fresh, path.pure.name, here, force)
    finally:
        os.close(here)


def _publish(fresh: str, name: str, folder: int, force: bool) -> None:
    """Give a whole file its name; without `force` the name is claimed first, which fails where something has it."""
    if force:
        os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    os.close(os.open(name, _NEW, 0o644, dir_fd=folder))
    with _removed_on_error(name, folder):
        os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)


@contextmanager
def _removed_on_error(name: str, folder: int) -> Iterator[str]:
    try:
        yield name
    except BaseException:  # also Ctrl-C: half a file is none
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        raise


def _below(here: int, parts: Sequence[str]) -> int:
    """The folder of that path below an open one, which is closed; those that are missing are made, and no link is followed."""
    for part in parts:
        try:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=here)
            below = os.open(part, _FOLDER, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here
