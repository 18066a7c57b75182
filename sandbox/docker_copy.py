"""Files of ours for a container, through the engine's API: it may run on another machine."""

import io
import tarfile
from collections.abc import Mapping

from docker.models.containers import Container


def copy_in(files: Mapping[str, bytes], container: Container, mode: int = 0o644) -> None:
    """Write files by their absolute names, readable for all, as root's. Raises docker's errors."""
    with io.BytesIO() as archive:
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for name, content in files.items():
                entry = tarfile.TarInfo(name.lstrip("/"))
                entry.size, entry.mode = len(content), mode
                tar.addfile(entry, io.BytesIO(content))
        container.put_archive("/", archive.getvalue())
