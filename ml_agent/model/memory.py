"""What was learned about each endpoint and model, remembered on disk."""

import json
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ml_agent.files import write_atomically
from ml_agent.model.thread import Mode
from ml_agent.tools.bounded import read_bytes

_LARGEST = 10_000_000
"""Bytes; a larger file is none of ours."""


class Traits(msgspec.Struct, kw_only=True):
    """How one model at one endpoint wants to be asked."""

    mode: Mode = "tools"
    confirmed: bool = False
    """Whether that mode has brought a usable answer."""
    dropped: list[str] = msgspec.field(default_factory=list)
    """Request parameters that it refuses, and `pictures`."""
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


OUTPUT_PARAMETERS = ("max_tokens", "max_completion_tokens")


class _ModelCall(msgspec.Struct):
    event: Literal["model-call"]
    request: dict[str, Any]
    reply: Annotated[list[dict[str, Any]], msgspec.Meta(min_length=1)]
    usage: dict[str, Any] | None = None


class EarlierReplies:
    """The replies in a run's trajectory by what was asked; each is given once, in its order.

    The folder may be another's: what is no event of a model's reply is left out.
    """

    def __init__(self, events: Iterable[Mapping[str, Any]] = ()) -> None:
        self._replies: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for event in events:
            try:
                call = msgspec.convert(event, _ModelCall)
                self._replies[_key(call.request)].append({"choices": call.reply, "usage": call.usage})
            except (msgspec.ValidationError, RecursionError):
                continue

    def take(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """The endpoint's answer to this request; None where it was not asked, or no answer is left."""
        left = self._replies.get(_key(body))
        return left.pop(0) if left else None


def _key(body: Mapping[str, Any]) -> str:
    """The request without the length of its reply, which depends on what is left of the budget."""
    return json.dumps({name: part for name, part in body.items() if name not in OUTPUT_PARAMETERS}, sort_keys=True)
