"""An endpoint's reply in small pieces: no packing can make it larger in memory than what has been asked for."""

import zlib
from collections.abc import Iterator

import httpx

UNPACKED = {"accept-encoding": "identity"}
"""Header of a request whose reply needs no unpacking."""
_PIECE = 64 * 1024
_WINDOWS = {"gzip": zlib.MAX_WBITS | 16, "x-gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}
_PACKINGS = frozenset({*_WINDOWS, "br", "zstd", "compress", "x-compress"})


def pieces_of(response: httpx.Response) -> Iterator[bytes]:
    """The body; one layer of gzip or deflate is unpacked piece by piece, DecodingError for any other packing."""
    said = response.headers.get("content-encoding", "").lower().split(",")
    layers = [name.strip() for name in said if name.strip() in _PACKINGS]
    if not layers:
        yield from response.iter_raw()
    elif len(layers) == 1 and layers[0] in _WINDOWS:
        yield from _unpack(response.iter_raw(), _WINDOWS[layers[0]])
    else:
        raise httpx.DecodingError(f"the reply is packed in a way that was not asked for: {', '.join(layers)[:80]}")


class SmallPieces(httpx.SyncByteStream):
    """The body of a response that is still to be read, unpacked, up to a limit."""

    def __init__(self, response: httpx.Response, most: int) -> None:
        self._response, self._most = response, most

    def __iter__(self) -> Iterator[bytes]:
        """The pieces; DecodingError where they are more than the limit together."""
        size = 0
        for piece in pieces_of(self._response):
            size += len(piece)
            if max(size, self._response.num_bytes_downloaded) > self._most:  # a packing may also hold next to nothing
                raise httpx.DecodingError(f"the reply is longer than {self._most} bytes")
            yield piece

    def close(self) -> None:
        """Close the response."""
        self._response.close()


def _unpack(packed: Iterator[bytes], window: int) -> Iterator[bytes]:
    unpacking = zlib.decompressobj(window)
    try:
        for chunk in packed:
            left = chunk
            while left:
                yield unpacking.decompress(left, _PIECE)
                left = unpacking.unconsumed_tail
        yield unpacking.flush()  # at most what one step of the packer makes
    except zlib.error as error:
        raise httpx.DecodingError(str(error)) from error
