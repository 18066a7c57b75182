"""The text of a file of unknown origin."""

from pathlib import Path

LARGEST_TEXT = 1_000_000
"""Characters of a document that are read; what stands behind is left out."""
LARGEST_FILE = 30_000_000
"""Bytes of a file that is looked at; notebooks with pictures are large."""


def read_text(path: Path) -> str:
    """The text of a file, whatever its bytes; "" where it cannot be read or is too large."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            return ""
        return decode(path.read_bytes())
    except OSError:
        return ""


def decode(data: bytes) -> str:
    """Bytes as text with plain newlines: UTF-8, or UTF-16 where its mark says so; what is neither becomes U+FFFD."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = data.decode(encoding, errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
