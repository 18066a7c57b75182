"""What an endpoint packs is unpacked within limits, or refused; ordinary servers are understood as before."""

import gzip
import tracemalloc
import zlib
from collections.abc import Iterable, Iterator

import httpx
import pytest

from ml_agent.model.transport import MAX_REPLY, SmallPieces, pieces_of

SAID = b'{"object": "list", "data": []}' * 9_000
PACKED = {
    "": SAID,
    "identity": SAID,
    "utf-8": SAID,
    "gzip": gzip.compress(SAID),
    "X-GZip": gzip.compress(SAID),
    "deflate": zlib.compress(SAID),
}


class Sent(httpx.SyncByteStream):
    """A body that is still to be read."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self.chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        """As it was sent."""
        yield from self.chunks


def response(encoding: str, *chunks: bytes) -> httpx.Response:
    return httpx.Response(200, headers={"content-encoding": encoding}, stream=Sent(chunks))


@pytest.mark.parametrize("encoding", PACKED)
def test_ordinary_replies_are_unpacked(encoding: str) -> None:
    packed = PACKED[encoding]
    assert b"".join(pieces_of(response(encoding, packed[:7], packed[7:900], packed[900:]))) == SAID


@pytest.mark.hostile
def test_a_packed_reply_fills_no_memory() -> None:
    bomb = gzip.compress(bytes(64 * 1024**2), 1)
    tracemalloc.start()
    with pytest.raises(httpx.DecodingError, match="longer"):
        for _ in SmallPieces(response("gzip", bomb), MAX_REPLY):
            pass
    assert tracemalloc.get_traced_memory()[1] < 2 * 1024**2
    tracemalloc.stop()


@pytest.mark.hostile
@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "gzip,deflate"])
def test_other_packings_are_refused_unread(encoding: str) -> None:
    with pytest.raises(httpx.DecodingError, match="not asked for"):
        list(pieces_of(response(encoding, b"never")))
    with pytest.raises(httpx.DecodingError):
        list(pieces_of(response("gzip", b"no gzip")))
