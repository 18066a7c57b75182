"""Tells run folders that this user made here from folders that came with somebody's repository.

A run folder decides where a key is sent to and which state is read, so only one's own is resumed or deleted. The mark is an
HMAC of the run's config under a key in the user's cache folder, which no repository and no sandbox can read.
"""

import hashlib
import hmac
import json
import os
import secrets
from typing import Any

from ml_agent.files import read_small
from ml_agent.tools.content_cache import warn_of_cache
from ml_agent.tools.own_cache import own_cache

SEAL = "seal"
_KEY_FILE = "run.key"
_BYTES = 32


def sealed(config: dict[str, Any]) -> dict[str, Any]:
    """The config with this user's mark; without one, and so not to be resumed, where no key can be kept."""
    try:
        key = _key(make=True)
    except OSError as error:
        warn_of_cache(error)
        return config
    return {**config, SEAL: _mark(config, key)}


def is_sealed(config: dict[str, Any]) -> bool:
    """Whether this user made the config here, and nobody changed it since."""
    try:
        key = _key(make=False)
    except OSError:
        return False
    return hmac.compare_digest(str(config.get(SEAL, "")).encode(), _mark(config, key).encode())


def _mark(config: dict[str, Any], key: bytes) -> str:
    content = {name: value for name, value in config.items() if name != SEAL}
    return hmac.new(key, json.dumps(content, sort_keys=True).encode(), hashlib.sha256).hexdigest()


def _key(*, make: bool) -> bytes:
    """This user's key; OSError where there is none, or none can be made."""
    path = own_cache() / _KEY_FILE
    if make and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{_KEY_FILE}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(_BYTES))
        try:
            os.link(temporary, path)  # the first of several processes makes it
        except FileExistsError:
            pass
        finally:
            temporary.unlink()
    try:
        key = read_small(path, 4 * _BYTES).strip().encode()
    except UnicodeDecodeError:
        key = b""
    if path.stat().st_uid != os.geteuid():
        raise OSError(f"{path} belongs to another user and is not used")
    if len(key) < _BYTES:
        raise OSError(f"{path} holds no key")
    return key
