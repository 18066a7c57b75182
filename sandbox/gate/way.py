"""Both ends of the way out: the proxy's socket on the host, and the relay that commands inside start with."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from ml_agent.sandbox.gate.proxy import Host, IndexProxy, host_of
from ml_agent.sandbox.pip_settings import PROXIES, PipSettings

GATE_INSIDE = "/mnt/gate"
"""Where commands find the folder with socket and relay."""
SOCKET, RELAY = "index.sock", "relay.py"
FIND_PYTHON = "PATH=/usr/local/bin:/usr/bin:/bin command -v python3"
"""Prints which Python of an image runs relay and proxy: never one of the environment that commands may change."""
PORT = 3128
"""Of the relay, in a network namespace of the command's own."""


@contextmanager
def gate_open(folder: Path, settings: PipSettings) -> Iterator[IndexProxy]:
    """Let whoever sees `folder` reach the package index of these settings, for the length of the block."""
    folder.chmod(0o711)
    relay = folder / RELAY
    if not relay.exists():
        shutil.copyfile(Path(__file__).with_name(RELAY), relay)
        relay.chmod(0o644)
    proxy = IndexProxy(folder / SOCKET, index_hosts(settings))
    with proxy.serving():
        yield proxy


def relayed(python: str, command: tuple[str, ...]) -> tuple[str, ...]:
    """The command as it starts with a relay before it; `python` as it is found inside."""
    return (python, "-I", "-S", f"{GATE_INSIDE}/{RELAY}", f"{GATE_INSIDE}/{SOCKET}", str(PORT), *command)


def gate_variables() -> dict[str, str]:
    """What makes programs ask the relay."""
    address = f"http://127.0.0.1:{PORT}"
    return {name: "" if name.lower() == "no_proxy" else address for name in PROXIES}


def index_hosts(settings: PipSettings) -> frozenset[Host]:
    """The hosts that an installation needs under these settings."""
    if settings.no_index:
        return frozenset(filter(None, map(host_of, settings.find_links)))
    # what pip takes where nothing is configured, and where that index, and what mirrors it, keeps its files
    public = import_module("pip._internal.models.index").PyPI
    urls = (settings.index_url or public.simple_url, *settings.extra_index_urls, *settings.find_links)
    return frozenset([*filter(None, map(host_of, urls)), (public.file_storage_domain, 443)])
