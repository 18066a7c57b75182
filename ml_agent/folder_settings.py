"""What `ml-agent.toml` of the working folder may set: it may have come with somebody's repository.

Without `--trust-folder` it can only make a run more careful: lower limits, less running, less network.
"""

import logging
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ml_agent.errors import ConfigurationError
from ml_agent.files import read_small

FILE = Path("ml-agent.toml")
_LOG = logging.getLogger(__name__)
_MOST_BYTES = 64 * 1024
_LIMITS = frozenset(
    [
        "clone_bytes", "clone_timeout", "max_attempts", "max_calls", "max_cost", "max_repairs",
        "max_repositories", "max_seconds", "max_tokens", "max_wait", "memory_gb", "timeout",
    ]
)  # fmt: skip
"""Settings that may be lowered."""
_ORDERS: Mapping[str, tuple[Any, ...]] = {
    "run": ("none", "probe", "full"),
    "network": ("none", "install", "full"),
    "unisolated": (False, True),
}
"""Settings that may be moved towards the first of their values."""


def read_folder_file() -> dict[str, Any]:
    """What the file says; empty where there is none. Raises ConfigurationError where it cannot be read."""
    try:
        return tomllib.loads(read_small(FILE, _MOST_BYTES))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{FILE} of this folder cannot be read: {error}".replace("\n", " ")) from error


def taken(said: Mapping[str, Any], present: Any, trusted: bool) -> dict[str, Any]:
    """The part of the file that counts beside the settings that hold without it; what was taken and left is logged once."""
    if trusted:
        _say(f"{FILE} of this folder: all of it is used (--trust-folder)")
        return dict(said)
    kept = {name: value for name, value in said.items() if _lowers(name, value, getattr(present, name, None))}
    left = [name for name in said if name not in kept]
    message = f"{FILE} of this folder: used {', '.join(sorted(kept)) or 'nothing'}"
    if left:
        names = ", ".join(repr(name)[1:-1][:40] for name in sorted(left)[:20])
        message += f"; ignored {names} (--trust-folder uses all)"
    _say(message)
    return kept


def _lowers(name: str, value: Any, present: Any) -> bool:
    if name in _LIMITS:
        number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        return number and (present is None or value <= present)
    order = _ORDERS.get(name, ())
    return value in order and present in order and order.index(value) <= order.index(present)


@cache
def _say(text: str) -> None:
    _LOG.warning("ml-agent: %s", text)
