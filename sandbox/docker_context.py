"""The Docker context in use, as Docker's own command keeps it.

Its Python library reads them, too, but only where there is a `config.json` beside them.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from docker.errors import TLSParameterError
from docker.tls import TLSConfig

from ml_agent.sandbox.errors import SandboxUnavailableError


class Endpoint(NamedTuple):
    """Where an engine is, and how it is spoken to."""

    host: str
    tls: TLSConfig | None


def endpoint_in_use() -> Endpoint | None:
    """Of the context at DOCKER_CONTEXT, else (unless DOCKER_HOST is set) of the one chosen by `docker context use`; None for the default.

    Raises SandboxUnavailableError where it is not there or cannot be read.
    """
    name = os.environ.get("DOCKER_CONTEXT", "")
    if not name and not os.environ.get("DOCKER_HOST"):
        name = str(_read(_folder() / "config.json").get("currentContext", ""))
    return endpoint(name) if name not in ("", "default") else None


def endpoint(name: str) -> Endpoint:
    """Of a context by name. Raises SandboxUnavailableError where it is not there or cannot be read."""
    key = hashlib.sha256(name.encode()).hexdigest()
    try:
        about = _read(_folder() / "contexts/meta" / key / "meta.json")["Endpoints"]["docker"]
        host, skips = str(about["Host"]), bool(about.get("SkipTLSVerify"))
    except (KeyError, TypeError, AttributeError) as error:
        raise SandboxUnavailableError(f"there is no Docker context {name!r}: `docker context ls` lists them") from error
    return Endpoint(host, _tls(_folder() / "contexts/tls" / key / "docker", skips))


def _tls(folder: Path, skips: bool) -> TLSConfig | None:
    pair = (str(folder / "cert.pem"), str(folder / "key.pem"))
    authority = folder / "ca.pem"
    if not folder.is_dir():
        return None
    try:
        return TLSConfig(
            client_cert=pair if all(Path(one).is_file() for one in pair) else None,
            ca_cert=str(authority) if authority.is_file() else None,
            verify=not skips,
        )
    except TLSParameterError as error:
        raise SandboxUnavailableError(f"{folder}: {str(error).splitlines()[0]}") from error


def _folder() -> Path:
    return Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker")


def _read(file: Path) -> dict[str, Any]:
    """A JSON object; empty where there is none."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
