"""An HTTP proxy on a Unix socket that lets through to a list of hosts and to nothing else.

It knows CONNECT, for https, and plain requests. Where the host itself stands behind a proxy, it goes through that one, whose
name and password never enter the sandbox.
"""

import base64
import os
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingMixIn, UnixStreamServer
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from ml_agent.sandbox.gate.address import Host, host_of
from ml_agent.sandbox.gate.relay import pump

MAX_HEAD = 64 * 1024
CONNECT_SECONDS = 30.0
CHUNK = 64 * 1024


class IndexProxy:
    """Serves on a socket while `open_for` is entered; `refused` holds the hosts that were asked for in vain."""

    def __init__(self, place: Path, hosts: frozenset[Host], proxies: Mapping[str, str] | None = None) -> None:
        """`proxies` by scheme; None takes those of this process's environment."""
        self.place, self.hosts = place, hosts
        self.proxies = dict(getproxies() if proxies is None else proxies)
        self.refused: list[str] = []

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
            proxy.refused.append(target if host is None else host[0])
            self._say("403 not-the-package-index")
            return
        with _connect(host, tunnel, proxy.proxies) as upstream:
            self.server.open.add(upstream)
            try:
                if tunnel:
                    self._say("200 Connection established", end=b"\r\n\r\n")
                    upstream.sendall(rest)
                else:
                    upstream.sendall(_request(head, method, target, _next_proxy(host, False, proxy.proxies)) + rest)
                pump(self.request, upstream)
            finally:
                self.server.open.discard(upstream)

    def _say(self, status: str, end: bytes = b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") -> None:
        self.request.sendall(f"HTTP/1.1 {status}".encode() + end)


def _request(head: bytes, method: str, target: str, proxy: str) -> bytes:
    """A plain request as the next server wants it: one a connection, without what was meant for a proxy."""
    parts = urlsplit(target)
    path = target if proxy else (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [
        line
        for line in head.split(b"\r\n")[1:]
        if not line.lower().startswith((b"proxy-", b"connection:", b"keep-alive:"))
    ]
    own = [*_authorization(proxy), b"Connection: close"]
    return b"\r\n".join([f"{method} {path} HTTP/1.1".encode(), *kept, *own]) + b"\r\n\r\n"


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
        raise OSError("the machine's proxy has no address")
    with socket.create_connection(address, timeout=CONNECT_SECONDS) as upstream:
        if proxy and tunnel:
            name = f"{host[0]}:{host[1]}".encode()
            lines = [b"CONNECT " + name + b" HTTP/1.1", b"Host: " + name, *_authorization(proxy)]
            upstream.sendall(b"\r\n".join(lines) + b"\r\n\r\n")
            answer = b""
            while b"\r\n\r\n" not in answer and len(answer) < MAX_HEAD and (part := upstream.recv(1)):
                answer += part
            if answer.split()[1:2] != [b"200"]:
                raise OSError("the machine's proxy refuses")
        yield upstream


def _authorization(proxy: str) -> list[bytes]:
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if not parts.username:
        return []
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return [b"Proxy-Authorization: Basic " + base64.b64encode(pair.encode())]
