"""What shall be run in a repository, before any repair."""

from collections.abc import Mapping
from pathlib import Path

import msgspec


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The repository as the sandbox gets it."""

    root: Path
    """Folder of the host; only read."""
    version: str = ""
    """Commit, or a hash of the content; part of the key of cached set-ups. Empty: nothing is cached."""
    url: str = ""
    """Where it can be cloned from."""
    date: str = ""
    """Day of the commit, YYYY-MM-DD; bounds versions where the newest one fails."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One command, or Python code that was written to a file of the workspace."""

    text: str
    """Bash."""
    folder: str = "."
    """Relative to the repository's root."""
    entry: str = ""
    """The script that runs, relative to the root; found in the text when empty."""
    code: str = ""
    """The Python code itself where the entry is not a file of the repository."""
    environment: Mapping[str, str] = {}
    named: frozenset[str] = frozenset()
    """Paths that the user names: where one is missing, no other file takes its place."""
    folders: tuple[str, ...] = ()
    """Folders, relative to its own, that it writes into; they are made before it runs."""
    paths: tuple[str, ...] = ()
    """Folders of the repository, relative to its root, that go on Python's path."""
    timeout: float = 600.0
    """Seconds."""
    probe_seconds: float | None = None
