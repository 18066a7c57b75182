"""What was learned about each endpoint and model, remembered on disk."""

import threading
from pathlib import Path

import msgspec

from ml_agent.files import write_atomically
from ml_agent.llm.endpoint import Mode
from ml_agent.tools.bounded import read_bytes

_LARGEST = 10_000_000
"""Bytes; a larger file is none of ours."""


class Traits(msgspec.Struct, kw_only=True):
    """How one model at one endpoint wants to be asked."""

    mode: Mode = "tools"
    confirmed: bool = False
    """Whether that mode has brought a usable answer."""
    dropped: list[str] = msgspec.field(default_factory=list)
    """Request parameters that it refuses."""
    output_parameter: str = "max_tokens"
    context_tokens: int | None = None
    context_since: float = 0.0
    """When the endpoint said so, in seconds since the epoch."""
    token_ratio: float | None = None
    """Its tokens for one of ours, at most seen; None before the first reply that says what it used."""


class Memory:
    """Traits by endpoint identity, in one JSON file; a file that cannot be read or written only costs learning again."""

    def __init__(self, path: Path | None = None) -> None:
        """None remembers for the life of this object only."""
        self._path = path
        self._lock = threading.Lock()
        self._known = self._load()

    def traits(self, identity: str) -> Traits:
        """A copy of what is known, or the defaults."""
        with self._lock:
            return msgspec.structs.replace(self._known.get(identity, Traits()))

    def learn(self, identity: str, **changes: object) -> None:
        """Remember changed traits."""
        with self._lock:
            before = self._known.get(identity, Traits())
            after = msgspec.structs.replace(before, **changes)
            if after == before and identity in self._known:
                return
            self._known = {**self._load(), **self._known, identity: after}
            self._save()

    def _load(self) -> dict[str, Traits]:
        if self._path is None:
            return {}
        try:
            return msgspec.json.decode(read_bytes(self._path, _LARGEST), type=dict[str, Traits])
        except (OSError, msgspec.DecodeError, RecursionError):
            return {}

    def _save(self) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, msgspec.json.format(msgspec.json.encode(self._known)).decode() + "\n")
        except OSError:
            # A read-only cache folder must not end a run; it only means asking again next time.
            self._path = None
