"""Behind the address of a package index there may be many servers: a connection is let through only where it asks for the index by name."""

import http.server
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ml_agent.sandbox.contract import Command, Sandbox

HELD_BY = "sandbox.gate"
INDEX = "localhost"
OTHER = "neighbour.example"


class Shared:
    """One address with many servers, as of a content network: it answers with the name that it was asked for, over TLS and without."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=any"]
        files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
        subprocess.run([*command, *files, "-addext", f"subjectAltName=DNS:{INDEX}"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        context.sni_callback = lambda _one, name, _context: self.asked.append(name or "")
        self.tls, self.plain = (http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler()) for _ in range(2))
        self.tls.socket = context.wrap_socket(self.tls.socket, server_side=True, do_handshake_on_connect=False)
        for server in (self.tls, self.plain):
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        asked = self.asked

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.headers.get("Host", "").partition(":")[0])
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"the index answers")

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shared]:
    made = Shared(tmp_path)
    for name in ("PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CERT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    yield made
    for server in (made.tls, made.plain):
        server.shutdown()
        server.server_close()


TRY = r"""
import os, re, socket, ssl, sys
place = re.sub("http://", "", os.environ["HTTPS_PROXY"]).split(":")
def tunnel(server):
    one = socket.create_connection((place[0], int(place[1])), 10)
    one.sendall(f"CONNECT {server} HTTP/1.1\r\n\r\n".encode())
    assert b" 200 " in one.recv(1000)
    return one
def spoken(one, words):
    one.sendall(words.encode())
    said = b""
    try:
        while part := one.recv(1000):
            said += part
    except OSError:
        pass
    return said.decode("latin-1")
def tls(server, name, **limits):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for key, value in limits.items():
        setattr(context, key, value)
    with context.wrap_socket(tunnel(server), server_hostname=name) as one:
        return spoken(one, f"GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n")
def plain(server, lines, method="GET"):
    one = socket.create_connection((place[0], int(place[1])), 10)
    return spoken(one, f"{method} http://{server}/ HTTP/1.1\r\n" + lines + "\r\n\r\n")
server, other = sys.argv[2], sys.argv[3]
try:
    print(eval(sys.argv[1]))
except OSError as error:
    print("refused", type(error).__name__)
"""


def _tried(sandbox: Sandbox, what: str, server: str) -> str:
    text = f"cat > /tmp/try.py <<'END'\n{TRY}\nEND\n${{ML_AGENT_PYTHON:-python}} /tmp/try.py {what!r} {server} {OTHER}"
    done = sandbox.run(Command(text=text, install=True, timeout=60))
    assert done.ok, done.stderr
    return done.stdout


TLS = {
    "another name": "tls(server, other)",
    "another name with an older protocol": "tls(server, other, maximum_version=ssl.TLSVersion.TLSv1_2)",
    "no name": "tls(server, None)",
    "no TLS": "spoken(tunnel(server), f'GET / HTTP/1.1\\r\\nHost: {other}\\r\\n\\r\\n')",
}  # fmt: skip
PLAIN = {
    "another name": "plain(server, f'Host: {other}')",
    "a second name": "plain(server, f'Host: {server}\\r\\nHost: {other}')",
    "a name behind a bare line's end": "plain(server, f'Accept: a\\nHost: {other}')",
    "a second request": "plain(server, f'Host: {server}\\r\\nConnection: keep-alive\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: {other}')",
    "a request in a body": "plain(server, f'Content-Length: 9999\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: {other}')",
    "another method": "plain(server, f'Host: {other}', 'POST')",
}  # fmt: skip


@pytest.mark.parametrize("way", TLS)
def test_over_tls_only_the_index_is_asked(
    way: str, isolated_kind: str, make: Callable[..., Sandbox], shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = f"{INDEX}:{shared.tls.server_port}"
    monkeypatch.setenv("PIP_INDEX_URL", f"https://{server}/simple")
    sandbox = make(isolated_kind, network="install")
    assert "the index answers" in _tried(sandbox, f"tls(server, '{INDEX}')", server), "nothing was tried: no index"
    assert "the index answers" not in _tried(sandbox, TLS[way], server)
    assert set(shared.asked) == {INDEX}


@pytest.mark.parametrize("way", PLAIN)
def test_without_tls_only_the_index_is_asked(
    way: str, isolated_kind: str, make: Callable[..., Sandbox], shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = f"{INDEX}:{shared.plain.server_port}"
    monkeypatch.setenv("PIP_INDEX_URL", f"http://{server}/simple")
    _tried(make(isolated_kind, network="install"), PLAIN[way], server)
    assert set(shared.asked) <= {INDEX}


def hello(*extensions: tuple[int, bytes]) -> bytes:
    """The first message of a client with these extensions."""
    tail = b"".join(kind.to_bytes(2) + len(value).to_bytes(2) + value for kind, value in extensions)
    body = b"\x03\x03" + bytes(32) + b"\x00" + b"\x00\x02\x13\x01" + b"\x01\x00" + len(tail).to_bytes(2) + tail
    return b"\x01" + len(body).to_bytes(3) + body


def named(name: str) -> tuple[int, bytes]:
    words = name.encode()
    return 0, (len(words) + 3).to_bytes(2) + b"\x00" + len(words).to_bytes(2) + words


def records(message: bytes, size: int = 2**14) -> bytes:
    """A message in records of a size."""
    parts = [message[at : at + size] for at in range(0, len(message), size)]
    return b"".join(b"\x16\x03\x01" + len(part).to_bytes(2) + part for part in parts)


PASSED = {"plain": records(hello(named(INDEX))), "in pieces": records(hello(named(INDEX)), 3), "in capitals": records(hello(named("LocalHost")))}  # fmt: skip
REFUSED = {
    "another": records(hello(named(OTHER))),
    "another in pieces": records(hello(named(OTHER)), 1),
    "none": records(hello()),
    "an encrypted one": records(hello(named(INDEX), (0xFE0D, b"\x01"))),
    "an encrypted one of a draft": records(hello(named(INDEX), (0xFFCE, b"\x01"))),
    "two": records(hello(named(INDEX), named(OTHER))),
    "two in one": records(hello((0, (len(INDEX) + len(OTHER) + 6).to_bytes(2) + named(INDEX)[1][2:] + named(OTHER)[1][2:]))),
    "one of another kind": records(hello((0, b"\x00\x04\x01\x00\x01a"))),
    "more behind it": records(hello(named(INDEX))[:-1] + b"\x00" + b"\x00" * 9),
    "no end": records(b"\x01\xff\xff\xff") + b"\x16\x03\x01\x40\x00" + bytes(2**14),
    "an old protocol": b"\x80\x2e\x01\x00\x02" + bytes(46),
}  # fmt: skip


@pytest.mark.parametrize("case", [*PASSED, *REFUSED])
def test_the_first_message_must_name_the_index(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ml_agent.sandbox.gate.way import SOCKET, gate_open
    from ml_agent.sandbox.pip_settings import read_pip_settings

    with socket.create_server(("127.0.0.1", 0)) as index, socket.socket(socket.AF_UNIX) as client:
        place = f"{INDEX}:{index.getsockname()[1]}"
        monkeypatch.setenv("PIP_INDEX_URL", f"https://{place}/simple")
        with gate_open(tmp_path, read_pip_settings()):
            client.connect(str(tmp_path / SOCKET))
            client.sendall(f"CONNECT {place} HTTP/1.1\r\n\r\n".encode())
            server, _ = index.accept()
            with server:
                server.settimeout(20)
                assert b" 200 " in client.recv(1000)
                client.sendall(PASSED.get(case) or REFUSED[case])
                client.shutdown(socket.SHUT_WR)
                told = b""
                while len(told) < len(PASSED.get(case, b"x")) and (part := server.recv(10_000)):
                    told += part
    assert told == PASSED.get(case, b"")


def test_a_name_that_the_client_says_when_asked_again_counts_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ml_agent.sandbox.gate.hello import RETRY
    from ml_agent.sandbox.gate.way import SOCKET, gate_open
    from ml_agent.sandbox.pip_settings import read_pip_settings

    retry = b"\x02" + (38).to_bytes(3) + b"\x03\x03" + RETRY + b"\x00\x13\x01\x00"
    with socket.create_server(("127.0.0.1", 0)) as index, socket.socket(socket.AF_UNIX) as client:
        place = f"{INDEX}:{index.getsockname()[1]}"
        monkeypatch.setenv("PIP_INDEX_URL", f"https://{place}/simple")
        with gate_open(tmp_path, read_pip_settings()):
            client.connect(str(tmp_path / SOCKET))
            client.sendall(f"CONNECT {place} HTTP/1.1\r\n\r\n".encode() + PASSED["plain"])
            server, _ = index.accept()
            with server:
                server.settimeout(20)
                assert server.recv(10_000) == PASSED["plain"]
                server.sendall(records(retry))
                client.sendall(b"\x14\x03\x03\x00\x01\x01" + REFUSED["another"])
                assert server.recv(10_000) == b""
