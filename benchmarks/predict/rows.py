"""Results of pieces of work on disk: each written once, whole or not at all."""

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Key
from ml_agent.benchmarks.kept_rows import read_kept
from ml_agent.benchmarks.predictions import Usage
from ml_agent.files import write_atomically


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one piece of work."""

    github_id: int
    id: int
    attempt: int
    """The first of its attempts, counted from 0."""
    output: tuple[str, ...] = ()
    usage: Usage = Usage()
    error: str = ""

    @property
    def key(self) -> Key:
        """The row's name."""
        return Key(self.github_id, self.id)


class RowStore:
    """A folder with one file a result, by configuration."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.folder = folder / fingerprint
        self.folder.mkdir(parents=True, exist_ok=True)

    def put(self, result: Result) -> None:
        """Keep a result; one that is already there stays (work may be delivered more than once)."""
        path = self._file(result.key, result.attempt)
        if not path.exists():
            write_atomically(path, json.dumps(msgspec.to_builtins(result), ensure_ascii=False))

    def get(self, key: Key, attempt: int) -> Result | None:
        """The result of a piece of work, or None; a damaged file counts as none."""
        return read_kept(self._file(key, attempt), Result)

    def forget(self, results: Iterable[Result]) -> None:
        """Remove results, so that they are made again."""
        for result in results:
            self._file(result.key, result.attempt).unlink(missing_ok=True)

    def _file(self, key: Key, attempt: int) -> Path:
        return self.folder / f"{key}-{attempt}.json"
