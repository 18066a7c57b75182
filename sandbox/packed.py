"""What a command in a sandbox printed packed: whoever can write it could pack any amount into little."""

import base64
import zlib

_GZIP = 31
"""Window bits with which zlib reads gzip."""


def unpacked(text: str, most: int, may_be_cut: bool = False) -> bytes:
    """The bytes of `gzip -c | base64`, at most so many. Raises ValueError for what is none, or was cut where it may not be."""
    try:
        reader = zlib.decompressobj(_GZIP)
        found = reader.decompress(base64.b64decode("".join(text.split())), most)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not reader.eof and len(found) < most and not may_be_cut:
        raise ValueError("it was cut")
    return found
