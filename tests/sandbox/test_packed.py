"""What was printed packed is unpacked up to a limit."""

import base64
import gzip

import pytest

from ml_agent.sandbox.packed import unpacked


def packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def test_what_was_packed_comes_back_up_to_a_limit() -> None:
    assert unpacked(packed(b"a b\0c"), 100) == b"a b\0c"
    assert unpacked(packed(b""), 100) == b""
    assert unpacked(packed(b"x" * 10**8), 1000) == b"x" * 1000


@pytest.mark.parametrize("text", ["", "no base64!", "AAAA", packed(b"abc" * 99)[:24]])
def test_nonsense_is_said_to_be(text: str) -> None:
    with pytest.raises(ValueError):
        unpacked(text, 1000)
