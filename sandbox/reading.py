"""Reading a repository's text files on the host: bounded, never a device or a pipe, never through a link that leads away."""

import os
import stat
from pathlib import Path

MAX_BYTES = 1024 * 1024


def read_text(path: Path, most: int = MAX_BYTES) -> str:
    """The first `most` bytes of a file as text; "" where there is no regular file, or only one that lies elsewhere.

    A link may lead into its own folder, the one above, or below those: repositories link requirements so.
    """
    try:
        place = path.resolve(strict=True)
        if path.is_symlink() and not place.is_relative_to(path.parent.parent.resolve()):
            return ""
        with os.fdopen(os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            content = file.read(most)
    except (OSError, RuntimeError, ValueError):
        return ""
    wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    return content.decode("utf-16" if wide else "utf-8", "replace").removeprefix("\ufeff")
