"""What was made of single files, by their content: another commit of a repository costs only what changed."""

import hashlib
import logging
import sqlite3
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from ml_agent.tools.unkept import warn_of_cache

_LOG = logging.getLogger(__name__)
_BATCH = 50
_SECONDS_BETWEEN_WRITES = 0.5
_LARGEST = 1_000_000_000
"""Bytes; a larger file is begun anew."""


class ContentCache:
    """Values by content, in one file that several processes share. A full or read-only disk costs only the cache.

    Args:
        path: The file; created with its folder.
        maker: Hash of the source that makes the values; those of another maker are not found.
    """

    def __init__(self, path: Path, maker: str) -> None:
        self._maker, self._path = maker, path
        self._pending: dict[bytes, bytes] = {}
        self._written = time.monotonic()
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
        """The value of a key; None where there is none."""
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
        """Keep a value; it is written soon, at `write` or at `close`."""
        if self._connection is None:
            return
        self._pending[self._hash(key)] = msgspec.msgpack.encode(value)
        if len(self._pending) >= _BATCH or time.monotonic() - self._written > _SECONDS_BETWEEN_WRITES:
            self.write()

    def write(self) -> None:
        """Write what is pending."""
        if self._connection is not None and self._pending:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany("INSERT OR REPLACE INTO made VALUES (?, ?)", self._pending.items())
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                self._give_up(error)
        self._pending.clear()
        self._written = time.monotonic()

    def close(self) -> None:
        """Write what is left."""
        self.write()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> "ContentCache":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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


def content_hash(data: bytes) -> str:
    """Names the content of a file."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
