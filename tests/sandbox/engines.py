"""Ways to an engine that are not its own socket: over TCP as if on another machine, or by a socket with someone in between."""

import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import docker

SOCKET = "/var/run/docker.sock"
Change = Callable[[bytes], bytes]
ENGINE: Change = bytes
"""The engine's own words, unchanged."""


def pump(source: socket.socket, target: socket.socket, change: Change = ENGINE) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(change(piece))
        target.shutdown(socket.SHUT_WR)


def between(server: socket.socket, asked: Change = ENGINE, said: Change = ENGINE) -> None:
    """Stand between callers and the engine until the server is closed."""
    with suppress(OSError):
        while True:
            caller, _ = server.accept()
            engine = socket.socket(socket.AF_UNIX)
            engine.connect(SOCKET)
            for way in ((caller, engine, asked), (engine, caller, said)):
                threading.Thread(target=pump, args=way, daemon=True).start()


@contextmanager
def engine_by_tcp() -> Iterator[str]:
    """The engine as if it were on another machine: its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=between, args=(server,), daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


def bridge_address() -> str:
    """Of this machine, as containers on the engine's bridge know it."""
    with closing(docker.DockerClient(base_url=f"unix://{SOCKET}")) as client:
        network = client.networks.get("bridge").attrs["IPAM"]["Config"][0]
    # An engine that was just started does not always say it: it is the first address then.
    return str(network.get("Gateway") or next(ipaddress.ip_network(network["Subnet"]).hosts()))


@contextmanager
def engine_by_socket(folder: Path, asked: Change, said: Change = ENGINE) -> Iterator[str]:
    """A socket of this machine that leads to an engine."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "engine.sock"))
        server.listen()
        threading.Thread(target=between, args=(server, asked, said), daemon=True).start()
        yield f"unix://{folder}/engine.sock"
