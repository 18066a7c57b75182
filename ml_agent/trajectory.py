"""One event a line in trajectory.jsonl, enough to rebuild every prompt and reply; keys that the run knows are masked.

What an event is called and holds is decided where it is emitted: `grep -r 'emit("'` lists them.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ml_agent.errors import UsageError
from ml_agent.files import whole_lines
from ml_agent.tools.bounded import read_bytes

Emit = Callable[..., None]
"""emit(event, **fields): record one event."""

_MOST_BYTES = 512 * 1024**2
SHORTEST_SECRET = 8
_SECRET_KEYS = ("api_key", "token", "authorization", "password", "secret")


class Trajectory:
    """Appends events to a file; safe to share between threads."""

    def __init__(self, path: Path, secrets: tuple[str, ...] = ()) -> None:
        """`secrets` are replaced by *** wherever they occur; dummy keys for local servers are too short to be secret."""
        self.path = path
        self._secrets = tuple(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)
        self._lock = threading.Lock()
        whole_lines(path)

    def emit(self, event: str, **fields: Any) -> None:
        """Write one event with the time in seconds since the epoch."""
        line = json.dumps(
            {"time": round(time.time(), 3), "event": event, **_mask(fields)}, ensure_ascii=False, default=str
        )
        for secret in self._secrets:
            line = line.replace(secret, "***")
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def _mask(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: "***" if key.lower() in _SECRET_KEYS else value for key, value in fields.items()}


def read_trajectory(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a file; a last line that a kill cut short is left out. Raises UsageError where it cannot be read."""
    if not path.exists():
        return
    try:
        content = read_bytes(path, _MOST_BYTES)
    except OSError as error:
        raise UsageError(f"{path} cannot be read as a run's events: {error.strerror}") from error
    for line in content.decode(errors="replace").split("\n"):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event
