"""Reading what an agent left behind, or what somebody else's run did: bounded, and no link, pipe or depth leads astray."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ml_agent.files import read_small

MOST_BYTES = 256 * 1024**2
"""Of one file that is read whole."""


def read_record(path: Path) -> str:
    """A text file; OSError for what is no regular file or too large, ValueError for what is no text."""
    return read_small(path, MOST_BYTES)


def read_json(path: Path) -> Any:
    """What a JSON file says; OSError or ValueError where it says nothing that can be used."""
    return from_json(read_record(path))


def from_json(text: str) -> Any:
    """What a JSON text says; ValueError for what is none, or is nested without end."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def files_below(folder: Path) -> Iterator[Path]:
    """All that is no folder, below a folder; linked folders, and those that we may not read, hold nothing."""
    folders = [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as found:
                entries = list(found)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
            else:
                yield Path(entry.path)
