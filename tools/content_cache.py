"""What was made of files and of whole repositories, by their content: another commit costs only what changed."""

import functools
import hashlib
import importlib.metadata
import logging
import sqlite3
import sys
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from ml_agent.tools import plugins

_LOG = logging.getLogger(__name__)
_LARGEST = 1_000_000_000
"""Bytes; a larger file is begun anew."""
_PARSERS = ("pyromark", "pyflakes")
_UNWRITABLE = (
    "the cache folder cannot be written (%s): everything is read again each time and no run can be resumed; "
    "set ML_AGENT_CACHE_DIR to a folder that can"
)
_first_warning = Lock()
"""Whoever gets it warns; it is never given back."""


class ContentCache:
    """Values by key, in one file that several processes share. A full or read-only disk costs only the cache.

    Args:
        path: The file; created with its folder.
        maker: Hash of the source that makes the values; those of another maker are not found.
    """

    def __init__(self, path: Path, maker: str) -> None:
        self._maker, self._path = maker, path
        self._connection: sqlite3.Connection | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size > _LARGEST:
                path.unlink()
            self._connection = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=OFF")
            self._connection.execute("CREATE TABLE IF NOT EXISTS made (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def load(self, key: tuple[str, ...], kind: Any) -> Any:
        """The value of a key; None where there is none, or one of another kind."""
        if self._connection is None:
            return None
        try:
            row = self._connection.execute("SELECT value FROM made WHERE key = ?", (self._hash(key),)).fetchone()
            return None if row is None else msgspec.msgpack.decode(row[0], type=kind)
        except (msgspec.DecodeError, RecursionError):
            return None
        except sqlite3.Error as error:
            self._give_up(error)
            return None

    def store(self, key: tuple[str, ...], value: object) -> None:
        """Keep a value."""
        if self._connection is None:
            return
        try:
            row = (self._hash(key), msgspec.msgpack.encode(value))
            self._connection.execute("INSERT OR REPLACE INTO made VALUES (?, ?)", row)
        except sqlite3.Error as error:
            self._give_up(error)

    def _hash(self, key: tuple[str, ...]) -> bytes:
        text = "\0".join((self._maker, *key)).encode("utf-8", "surrogateescape")
        return hashlib.blake2b(text, digest_size=20).digest()

    def _give_up(self, error: Exception) -> None:
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        if damaged:
            _LOG.warning("%s is damaged and not used (%s): remove it", self._path, error)
        else:
            warn_of_cache(error)
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def warn_of_cache(error: Exception) -> None:
    """Say in one line what a cache that cannot be written costs and what to do; only the first time in this process."""
    if _first_warning.acquire(blocking=False):
        _LOG.warning(_UNWRITABLE, getattr(error, "strerror", None) or error)


@functools.cache
def source_hash(path: str) -> str:
    """Names the source of a module that makes values itself, outside this package: a part of their keys."""
    return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()


@functools.cache
def fingerprint() -> str:
    """Names what makes the values: this package's sources and tables, the parsing libraries, packages that add frameworks."""
    digest = hashlib.blake2b(str(sys.version_info[:2]).encode(), digest_size=16)
    versions = [*map(importlib.metadata.version, _PARSERS), plugins.identity(plugins.FRAMEWORKS)]
    digest.update("\0".join(versions).encode())
    room = Path(__file__).parent
    for path in sorted(one for kind in ("*.py", "*.toml", "*.txt", "*.json.gz") for one in room.rglob(kind)):
        digest.update(path.relative_to(room).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
