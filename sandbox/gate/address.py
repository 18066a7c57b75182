"""The server that an address names; standard library only, as all that runs where nothing of ours is installed."""

from urllib.parse import urlsplit

Host = tuple[str, int]
"""Name in lower case, and port."""

_PORTS = {"https": 443, "http": 80}


def host_of(url: str) -> Host | None:
    """Host and port of an address; None where it names no server."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.hostname.lower(), port) if parts.hostname and port else None
