"""Reading a repository's text files on the host: bounded, never a device or a pipe, never through a link that leads away."""

import errno
import os
import stat
from pathlib import Path

MAX_BYTES = 1024 * 1024
MAX_LINE = 2_000
"""Characters; what people write to be read, or to be typed, is shorter, and no pattern may see what is made to be long."""


def read_text(path: Path, most: int = MAX_BYTES) -> str:
    """The first `most` bytes of a file as text; "" where there is no regular file, or only one that lies elsewhere.

    A link may lead into its own folder, the one above, or below those: repositories link requirements so.
    """
    try:
        with os.fdopen(_open(path), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            content = file.read(most)
    except (OSError, RuntimeError, ValueError):
        return ""
    return decode(content)


def _open(path: Path) -> int:
    """A descriptor of what lies there, or of where a link leads that may be followed."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
    place = path.resolve(strict=True)
    if not place.is_relative_to(path.parent.parent.resolve()):
        raise PermissionError(errno.EPERM, "a link that leads away", str(path))
    return os.open(place, flags)


def decode(data: bytes) -> str:
    """Bytes as text with plain newlines: UTF-8, or UTF-16 where its mark says so; what is neither becomes U+FFFD."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = data.decode(encoding, errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def read_lines(path: Path, most: int = MAX_BYTES) -> list[str]:
    """The lines of a text that people read, as `read_text` reads it, without those that are too long."""
    return [line for line in read_text(path, most).splitlines() if len(line) <= MAX_LINE]


is_file, is_dir, exists = os.path.isfile, os.path.isdir, os.path.exists
"""Of a place whose name is too long for the system they say no, as pathlib's do not."""
