"""Keys: held by the process that talks to the provider, in no environment that a program started by it could read.

The command line takes every secret out of its environment before anything else is started.
"""

import ctypes
import os
from collections.abc import Mapping
from pathlib import Path

from ml_agent.tools.secret_names import names_a_secret

_SETTINGS = {
    "api_key": ("ML_AGENT_API_KEY", "OPENAI_API_KEY"),
    "github_token": ("ML_AGENT_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"),
}
_held: dict[str, str] = {}


def take() -> None:
    """Move every secret from this process's environment into its memory."""
    taken = {name: os.environ.pop(name) for name in list(os.environ) if names_a_secret(name)}
    _held.update(taken)
    _wipe(taken)


def _wipe(taken: Mapping[str, str]) -> None:
    """Overwrite the text that this process was started with, which a fork of it shows until it runs its program (Linux)."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(fields[47]), int(fields[48])
        block = Path("/proc/self/environ").read_bytes()
    except (OSError, ValueError, IndexError):
        return  # not Linux: there is no such text to be read by others
    if not start or end - start != len(block):
        return
    for name, value in taken.items():
        text = os.fsencode(f"{name}={value}")
        at = (b"\0" + block).find(b"\0" + text + b"\0")
        if at >= 0:
            ctypes.memset(start + at, 0, len(text))


def give(keys: Mapping[str, str]) -> None:
    """Hold keys that came in another way, such as with a worker's first message."""
    _held.update(keys)


def held() -> dict[str, str]:
    """A copy of all that is held, by variable."""
    return dict(_held)


def as_settings() -> dict[str, str]:
    """The settings that held keys stand for."""
    found = {name: next((_held[v] for v in variables if _held.get(v)), "") for name, variables in _SETTINGS.items()}
    return {name: value for name, value in found.items() if value}
