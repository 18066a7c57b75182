"""An HTTP proxy on a Unix socket that lets through to a list of hosts and to nothing else; standard library only.

It knows CONNECT, for https, where the TLS client must ask for the very host, and GET and HEAD of plain http, which it writes anew: behind
one address there may be many servers. Where the host itself stands behind a proxy, it goes through that one, whose name and password never
enter the sandbox.

On an engine that cannot mount a socket of this machine it runs in a container beside the sandbox: `python -I -S FOLDER SECONDS PLACE
HOST:PORT…`, from a folder in which it is `ml_agent/sandbox/gate/proxy.py`.
"""

import base64
import ipaddress
import os
import re
import shutil
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingMixIn, UnixStreamServer
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from ml_agent.sandbox.gate.hello import (
    CLIENT_HELLO,
    HANDSHAKE,
    SERVER_HELLO,
    HelloError,
    asks_again,
    first_message,
    name_in,
)
from ml_agent.sandbox.gate.relay import IDLE_SECONDS, pump

Host = tuple[str, int]
"""Name in lower case, and port."""
MAX_HEAD = 64 * 1024
CONNECT_SECONDS = 30.0
CHUNK = 64 * 1024
_PORTS = {"https": 443, "http": 80}
_PASSED = re.compile(rb"(?:accept(?:-encoding)?|user-agent|range|if-[a-z-]+|cache-control):[\t -~]*", re.IGNORECASE)
"""Lines of a plain request that go on to the server."""


def host_of(url: str) -> Host | None:
    """Host and port of an address; None where it names no server."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.hostname.lower(), port) if parts.hostname and port else None


class IndexProxy:
    """Serves on a socket while `serving` is entered."""

    def __init__(self, place: Path, hosts: frozenset[Host], proxies: Mapping[str, str] | None = None) -> None:
        """`proxies` by scheme; None takes those of this process's environment."""
        self.place, self.hosts = place, hosts
        self.proxies = dict(getproxies() if proxies is None else proxies)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Listen for the length of the block; no connection outlives it."""
        self.place.unlink(missing_ok=True)
        server = _Server(self)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            server.end_connections()
            server.server_close()
            self.place.unlink(missing_ok=True)


class _Server(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, proxy: IndexProxy) -> None:
        self.proxy = proxy
        self.open: set[socket.socket] = set()
        folder = os.open(proxy.place.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:  # a path of any length: the name of a socket may have 107 characters only
            super().__init__(f"/proc/self/fd/{folder}/{proxy.place.name}", _Handler)
        finally:
            os.close(folder)
        proxy.place.chmod(0o666)

    def end_connections(self) -> None:
        for connection in list(self.open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no event."""


class _Handler(BaseRequestHandler):
    server: _Server
    request: socket.socket

    def handle(self) -> None:
        self.server.open.add(self.request)
        try:
            self.request.settimeout(CONNECT_SECONDS)
            head, rest = self._head()
            words = head.split(b"\r\n", 1)[0].split()
            if len(words) == 3:
                self._pass_on(head, rest, words[0].decode("ascii", "replace"), words[1].decode("ascii", "replace"))
        except HelloError:  # nothing can be said in the place of TLS: the connection is closed
            return
        except OSError:
            with suppress(OSError):
                self._say("502 Bad Gateway")
        finally:
            self.server.open.discard(self.request)

    def _head(self) -> tuple[bytes, bytes]:
        data = b""
        while b"\r\n\r\n" not in data and len(data) < MAX_HEAD:
            part = self.request.recv(CHUNK)
            if not part:
                break
            data += part
        head, _, rest = data.partition(b"\r\n\r\n")
        return head, rest

    def _pass_on(self, head: bytes, rest: bytes, method: str, target: str) -> None:
        tunnel = method == "CONNECT"
        host = host_of(f"https://{target}" if tunnel else target)
        proxy = self.server.proxy
        if host is None or host not in proxy.hosts:
            self._say("403 not-the-package-index")
            return
        if not tunnel and method not in ("GET", "HEAD"):
            self._say("405 Method Not Allowed")
            return
        with _connect(host, tunnel, proxy.proxies) as upstream:
            self.server.open.add(upstream)
            try:
                if tunnel:
                    self._say("200 Connection established", end=b"\r\n\r\n")
                    self._pass_tls(host, rest, upstream)
                else:
                    upstream.sendall(_request(head, method, target, _next_proxy(host, False, proxy.proxies)))
                    upstream.settimeout(IDLE_SECONDS)
                    while data := upstream.recv(CHUNK):
                        self.request.sendall(data)
            finally:
                self.server.open.discard(upstream)

    def _pass_tls(self, host: Host, rest: bytes, upstream: socket.socket) -> None:
        """Let a TLS connection through that asks for the host, also where the server has it ask twice."""
        client, server = _Reader(self.request, rest), _Reader(upstream)
        again = True
        while again:
            hello = first_message(client.take, CLIENT_HELLO)
            if not _is_meant(name_in(hello.body), host[0]):
                raise HelloError("the connection asks for another server than the package index")
            upstream.sendall(hello.raw)
            if server.next_byte() != HANDSHAKE:  # it refuses
                break
            answer = first_message(server.take, SERVER_HELLO)
            self.request.sendall(answer.raw)
            again = asks_again(answer.body)
        self.request.sendall(server.rest)
        upstream.sendall(client.rest)
        pump(self.request, upstream)

    def _say(self, status: str, end: bytes = b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") -> None:
        self.request.sendall(f"HTTP/1.1 {status}".encode() + end)


class _Reader:
    """Just as many bytes of a socket as are asked for."""

    def __init__(self, source: socket.socket, rest: bytes = b"") -> None:
        self._source, self.rest = source, rest

    def next_byte(self) -> int:
        """Of what was not yet taken."""
        first = self.take(1)
        self.rest = first + self.rest
        return first[0]

    def take(self, size: int) -> bytes:
        while len(self.rest) < size:
            part = self._source.recv(CHUNK)
            if not part:
                raise HelloError("the connection does not use TLS")
            self.rest += part
        taken, self.rest = self.rest[:size], self.rest[size:]
        return taken


def _is_meant(name: str, host: str) -> bool:
    """Whether a TLS client asks for a host; of one that is an address it may ask by none."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return name == host
    return name in ("", host)


def _request(head: bytes, method: str, target: str, proxy: str) -> bytes:
    """A plain request as the next server wants it: one a connection, of the host that the address names, without a body."""
    parts = urlsplit(target)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    place = parts.netloc.rpartition("@")[2]
    kept = [line for line in head.split(b"\r\n")[1:] if _PASSED.fullmatch(line)]
    own = [f"Host: {place}".encode(), *_authorization(proxy), b"Connection: close"]
    line = f"{method} {f'http://{place}{path}' if proxy else path} HTTP/1.1".encode()
    return b"\r\n".join([line, *own, *kept]) + b"\r\n\r\n"


def _next_proxy(host: Host, tunnel: bool, proxies: Mapping[str, str]) -> str:
    """The proxy of this machine that leads to a host, empty where none does."""
    if proxy_bypass(host[0]):
        return ""
    return proxies.get("https" if tunnel else "http", "") or proxies.get("all", "")


@contextmanager
def _connect(host: Host, tunnel: bool, proxies: Mapping[str, str]) -> Iterator[socket.socket]:
    proxy = _next_proxy(host, tunnel, proxies)
    address = (host_of(proxy) if "://" in proxy else host_of(f"http://{proxy}")) if proxy else host
    if address is None:
        raise OSError("the address of this machine's network proxy has no host")
    with socket.create_connection(address, timeout=CONNECT_SECONDS) as upstream:
        if proxy and tunnel:
            name = f"{host[0]}:{host[1]}".encode()
            lines = [b"CONNECT " + name + b" HTTP/1.1", b"Host: " + name, *_authorization(proxy)]
            upstream.sendall(b"\r\n".join(lines) + b"\r\n\r\n")
            answer = b""
            while b"\r\n\r\n" not in answer and len(answer) < MAX_HEAD and (part := upstream.recv(1)):
                answer += part
            if answer.split()[1:2] != [b"200"]:
                raise OSError("this machine's network proxy refuses the connection")
        yield upstream


def _authorization(proxy: str) -> list[bytes]:
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if not parts.username:
        return []
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return [b"Proxy-Authorization: Basic " + base64.b64encode(pair.encode())]


def main() -> None:
    own, seconds, place = Path(sys.argv[0]), float(sys.argv[1]), Path(sys.argv[2])
    named = (word.rpartition(":") for word in sys.argv[3:])
    shutil.copy(own / "ml_agent/sandbox/gate/relay.py", place.parent)
    with IndexProxy(place, frozenset((name, int(port)) for name, _, port in named)).serving():
        (own / "ready").touch()
        time.sleep(seconds)
