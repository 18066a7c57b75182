"""Keys: held by the process that talks to the provider, in no environment that a program started by it could read.

The command line takes every secret out of its environment before anything else is started. Processes of ours that talk to the
provider themselves (workers of the bench) are handed the keys through a pipe.
"""

import ctypes
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ml_agent.tools.secret_names import names_a_secret

PIPE = "ML_AGENT_KEYS_FD"
"""Names the descriptor on which a parent of ours hands over the keys."""
_SETTINGS = {
    "api_key": ("ML_AGENT_API_KEY", "OPENAI_API_KEY"),
    "github_token": ("ML_AGENT_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"),
}
_MOST_BYTES = 32 * 1024
"""Fits into a pipe, so that handing over never waits."""
_held: dict[str, str] = {}


def take() -> None:
    """Move every secret from this process's environment into its memory, and read what a parent of ours hands over."""
    descriptor = os.environ.pop(PIPE, "")
    if descriptor.isdigit():
        with os.fdopen(int(descriptor), "rb") as pipe:
            _held.update(json.loads(pipe.read(_MOST_BYTES) or b"{}"))
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


@contextmanager
def handed_over() -> Iterator[tuple[dict[str, str], tuple[int, ...]]]:
    """Environment and descriptors for a process of ours that talks to the provider; start it inside the `with`."""
    environment = {name: value for name, value in os.environ.items() if not names_a_secret(name)}
    keys = _held | {name: value for name, value in os.environ.items() if names_a_secret(name)}
    content = json.dumps(keys).encode()[:_MOST_BYTES]
    reading, writing = os.pipe()
    try:
        os.write(writing, content)
    finally:
        os.close(writing)
    try:
        yield {**environment, PIPE: str(reading)}, (reading,)
    finally:
        os.close(reading)
