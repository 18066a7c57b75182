"""Brings what a run made into a folder of the user's: nothing there is replaced unless asked for, no link is followed."""

import os
import secrets
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ml_agent.errors import ConfigurationError
from sandbox.inner_path import InnerPath, safe_relative

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def keep_outputs(outputs: Path, paths: Sequence[str], folder: Path, force: bool) -> dict[str, Any]:
    """Copy the files `paths` of `outputs` below `folder`; returns what run.json tells of it.

    Raises ConfigurationError where the folder itself cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise ConfigurationError(f"--keep-outputs {folder}: {error.strerror}") from error
    refused: dict[str, str] = {}
    try:
        for path in paths:
            try:
                _copy(outputs / path, root, safe_relative(path), force)
            except ValueError:
                refused[path] = "leads out of the folder"
            except FileExistsError:
                refused[path] = "exists already; --force replaces it"
            except OSError as error:
                refused[path] = error.strerror or "cannot be written"
    finally:
        os.close(root)
    return {"folder": str(folder), "files": [path for path in paths if path not in refused], "refused": refused}


def _copy(source: Path, root: int, path: InnerPath, force: bool) -> None:
    here = os.dup(root)
    try:
        for part in path.pure.parent.parts:
            below = _open_folder(here, part)
            os.close(here)
            here = below
        fresh = f".{path.pure.name[:100]}.{secrets.token_hex(4)}" if force else path.pure.name
        try:
            with source.open("rb") as reading, os.fdopen(os.open(fresh, _NEW, 0o644, dir_fd=here), "wb") as writing:
                shutil.copyfileobj(reading, writing)
            if force:
                os.rename(fresh, path.pure.name, src_dir_fd=here, dst_dir_fd=here)
        except OSError:
            if force:
                with suppress(FileNotFoundError):
                    os.unlink(fresh, dir_fd=here)
            raise
    finally:
        os.close(here)


def _open_folder(parent: int, name: str) -> int:
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)
    return os.open(name, _FOLDER, dir_fd=parent)
