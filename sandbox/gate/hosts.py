"""Which hosts the package index of this machine has."""

from importlib import import_module

from ml_agent.sandbox.gate.address import Host, host_of
from ml_agent.sandbox.pip_settings import PipSettings


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
