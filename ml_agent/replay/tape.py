"""A folder of requests and their answers, found by what was asked and how often it was asked before."""

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import msgspec

from ml_agent.errors import ConfigurationError
from ml_agent.files import write_atomically
from ml_agent.tools.bounded import read_bytes

T = TypeVar("T")
_LONG = 8
"""Characters from which on a word can stand for one run alone."""
_MOST_BYTES = 256 * 1024**2
"""Of one entry; a file that a sandbox gave is in it."""
Errors = Mapping[str, Callable[[str], Exception]]
"""Errors that are recorded and raised again, by class name, with how to make one from its message."""


class ReplayError(ConfigurationError):
    """The recording does not hold what is asked for."""


class TapeEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One request and what came of it."""

    kind: str
    request: Any
    result: Any = None
    error: str = ""
    """Class name of an error."""
    message: str = ""


class Tape:
    """Records into a folder, or plays it back; safe to share between threads."""

    def __init__(self, folder: Path, mode: Literal["record", "replay"], variable: Sequence[str] = ()) -> None:
        """`variable` are words that differ from run to run (its id, its folder); requests are compared without them.

        Words that could be part of any text ("out", "run") are not taken for such.

        Raises ConfigurationError where there is nothing to replay, or nowhere to record.
        """
        self.folder, self.mode = folder, mode
        self._variable = tuple(sorted(filter(_is_distinctive, variable), key=len, reverse=True))
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()
        if mode == "replay" and not folder.is_dir():
            raise ConfigurationError(f"--replay: there is no folder {folder}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(f"--record: the folder {folder} cannot be written ({error.strerror})") from error

    @property
    def replaying(self) -> bool:
        """Whether answers come from the folder only."""
        return self.mode == "replay"

    def call(self, kind: str, request: Any, live: Callable[[], T], result: type[T], errors: Errors | None = None) -> T:
        """The result of `live()`, recorded; in a replay the recorded one, and `live` is not called.

        Errors named in `errors` are recorded and raised again; others pass and leave no trace.
        """
        known = errors or {}
        path, asked = self._next(kind, request)
        if self.replaying:
            return self._play(path, result, known)
        try:
            value = live()
        except Exception as error:  # recorded where its kind is known, and raised again in any case
            name = next((base.__name__ for base in type(error).__mro__ if base.__name__ in known), "")
            if name:
                self._write(path, TapeEntry(kind=kind, request=asked, error=name, message=str(error)))
            raise
        self._write(path, TapeEntry(kind=kind, request=asked, result=msgspec.to_builtins(value, enc_hook=_to_plain)))
        return value

    def path(self, kind: str, request: Any) -> Path:
        """A file or folder beside the entries, for what is too large for JSON; not numbered."""
        return self.folder / kind / _key(self._canonical(request))

    def _next(self, kind: str, request: Any) -> tuple[Path, Any]:
        canonical = self._canonical(request)
        key = f"{kind}/{_key(canonical)}"
        with self._lock:
            number = self._asked[key]
            self._asked[key] += 1
        return self.folder / f"{key}.{number}.json", msgspec.json.decode(canonical)

    def _canonical(self, request: Any) -> bytes:
        text = msgspec.json.encode(request, order="sorted").decode()
        for word in self._variable:
            text = text.replace(msgspec.json.encode(word).decode()[1:-1], "*")
        return text.encode()

    def _play(self, path: Path, result: type[T], known: Errors) -> T:
        kind = path.parent.name
        try:
            entry = msgspec.json.decode(read_bytes(path, _MOST_BYTES), type=TapeEntry)
            found = None if entry.error else msgspec.convert(entry.result, result, dec_hook=_from_plain)
        except FileNotFoundError:
            raise ReplayError(
                f"--replay: the recording {self.folder} has no answer to this {kind} request; record the run again"
            ) from None
        except (OSError, msgspec.DecodeError, RecursionError) as error:
            raise ReplayError(
                f"--replay: the file {path.name} of the recording {self.folder} cannot be read: {error}"
            ) from error
        if entry.error:
            raise known.get(entry.error, ReplayError)(entry.message)
        return cast(T, found)

    def _write(self, path: Path, entry: TapeEntry) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.format(msgspec.json.encode(entry)).decode() + "\n")


def _is_distinctive(word: str) -> bool:
    return len(word) >= _LONG and not word.isalpha()


def _to_plain(value: Any) -> str:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be recorded")


def _from_plain(kind: type[Any], value: Any) -> Any:
    return kind(value)


def _key(canonical: bytes) -> str:
    return hashlib.sha256(canonical).hexdigest()[:24]
