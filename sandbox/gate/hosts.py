"""Which hosts the package index of this machine has."""

from urllib.parse import urlsplit

from sandbox.pip_settings import PipSettings

Host = tuple[str, int]
"""Name in lower case, and port."""

INDEX = "https://pypi.org/simple"
FILES: Host = ("files.pythonhosted.org", 443)
"""Where the public index, and what mirrors it, keeps its files."""
_PORTS = {"https": 443, "http": 80}


def index_hosts(settings: PipSettings) -> frozenset[Host]:
    """The hosts that an installation needs under these settings."""
    if settings.no_index:
        return frozenset(filter(None, map(host_of, settings.find_links)))
    urls = (settings.index_url or INDEX, *settings.extra_index_urls, *settings.find_links)
    return frozenset([*filter(None, map(host_of, urls)), FILES])


def host_of(url: str) -> Host | None:
    """Host and port of an address; None where it names no server."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.hostname.lower(), port) if parts.hostname and port else None
