"""An endpoint that never ends what it sends, whatever it sends, keeps a run no longer than its wall time."""

import socket
import threading
import time
import zlib
from collections.abc import Iterator

import httpx
import pytest

from ml_agent.model.budget import Budget, RequestDemand
from ml_agent.model.transport import MAX_REPLY, MeteredTransport, NetworkTransport, SmallPieces, paid_by

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
PACKED = OK + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n"
_PACKER = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
BEGUN = _PACKER.compress(b"{") + _PACKER.flush(zlib.Z_SYNC_FLUSH)
WHOLE = BEGUN + _PACKER.flush()
EMPTY_BLOCK = b"\0\0\0\xff\xff"
SENT = {
    "notices before the reply": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"),
    "a head of drops": (OK, b"X"),
    "a body of drops": (OK + b"Connection: close\r\n\r\n", b" "),
    "packed nothing": (PACKED + BEGUN, EMPTY_BLOCK),
    "what follows a packed body": (PACKED + WHOLE, b"\0"),
}
"""By name: what is sent once, and what is sent again and again."""


@pytest.fixture
def endpoint(request: pytest.FixtureRequest) -> Iterator[str]:
    """Sends what the parameter names to the first who asks."""
    over = threading.Event()
    first, again = SENT[request.param]
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(65536)
            try:
                connection.sendall(first)
                while not over.wait(0.05):
                    connection.sendall(again)
            except OSError:  # nobody listens any more
                return

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1/chat/completions"
    over.set()
    listening.close()


@pytest.mark.promise(
    "No endpoint keeps a run beyond its wall time.", by="ml_agent.model.transport, ml_agent.model.waiting"
)
@pytest.mark.parametrize("endpoint", SENT, indirect=True)
def test_an_endpoint_that_never_ends_is_given_up(endpoint: str) -> None:
    reservation = Budget().reserve(RequestDemand(prompt_tokens=1, output_tokens=1, least_output=1, price=None))
    began = time.monotonic()
    with (
        httpx.Client(transport=MeteredTransport(NetworkTransport())) as client,
        paid_by(reservation, 0.3),
        pytest.raises(httpx.ReadTimeout, match="too long"),
    ):
        client.post(endpoint, json={}, timeout=5)
    assert time.monotonic() - began < 30


@pytest.mark.promise("What is sent of a reply is bounded, also where nothing is in it.", by="ml_agent.model.transport")
@pytest.mark.parametrize("begin", [BEGUN, WHOLE])
def test_a_packed_reply_of_nothing_is_no_longer_than_any(begin: bytes) -> None:
    sent = 0

    def chunks() -> Iterator[bytes]:
        nonlocal sent
        yield begin
        while sent < 3 * MAX_REPLY:
            sent += len(EMPTY_BLOCK) * 50_000
            yield EMPTY_BLOCK * 50_000

    response = httpx.Response(200, headers={"content-encoding": "gzip"}, content=chunks())
    with pytest.raises(httpx.DecodingError, match="longer"):
        for _ in SmallPieces(response, MAX_REPLY):
            pass
    assert sent < 2 * MAX_REPLY
