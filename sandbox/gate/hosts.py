"""Which hosts the package index of this machine has."""

from importlib import import_module
from urllib.parse import urlsplit

from sandbox.pip_settings import PipSettings

Host = tuple[str, int]
"""Name in lower case, and port."""

_PORTS = {"https": 443, "http": 80}


def index_hosts(settings: PipSettings) -> frozenset[Host]:
    """The hosts that an installation needs under these settings."""
    if settings.no_index:
        return frozenset(filter(None, map(host_of, settings.find_links)))
    public, files = _public_index()
    urls = (settings.index_url or public, *settings.extra_index_urls, *settings.find_links)
    return frozenset([*filter(None, map(host_of, urls)), files])


def _public_index() -> tuple[str, Host]:
    """The address that pip takes where nothing is configured, and where that index, and what mirrors it, keeps its files."""
    known = import_module("pip._internal.models.index").PyPI
    return known.simple_url, (known.file_storage_domain, 443)


def host_of(url: str) -> Host | None:
    """Host and port of an address; None where it names no server."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.hostname.lower(), port) if parts.hostname and port else None
