"""Reading and writing below a folder that foreign programs had in their hands.

Every step goes by an open descriptor and follows no link, so nothing that a program leaves there leads out. A link is
resolved for reading only, by its text, and only to what lies below the same folder.
"""

import io
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.inner_path import InnerPath
from ml_agent.sandbox.temporary import remove

_OPEN = os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | _OPEN
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | _OPEN
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN
MAX_LINKS = 20


class HeldFolder:
    """One folder, held open. What is made in it belongs to the user `owner`, or to us where that is None."""

    def __init__(self, folder: Path, owner: int | None = None) -> None:
        self._owner = owner
        self._root = os.open(folder, _FOLDER)

    def close(self) -> None:
        """Let it go."""
        os.close(self._root)

    def make_folder(self, path: InnerPath) -> None:
        """Make a folder and those above it; whatever else stands in the way is removed."""
        with self._folder(path.pure.parts, make=True):
            pass

    def write(self, path: InnerPath, source: Path, mode: int) -> None:
        """Copy a file to a path; what was there is replaced, never written through."""
        with source.open("rb") as reading:
            self.write_stream(path, reading, mode)

    def write_bytes(self, path: InnerPath, content: bytes, mode: int) -> None:
        """The same with the content at hand."""
        self.write_stream(path, io.BytesIO(content), mode)

    def write_stream(self, path: InnerPath, reading: IO[bytes], mode: int) -> None:
        """The same with a stream, read to its end."""
        fresh = f".new-{secrets.token_hex(8)}"
        with self._folder(path.pure.parent.parts, make=True) as parent:
            with os.fdopen(os.open(fresh, _NEW, 0o600, dir_fd=parent), "wb") as writing:
                shutil.copyfileobj(reading, writing)
                os.fchmod(writing.fileno(), mode)
                if self._owner is not None:
                    os.fchown(writing.fileno(), self._owner, self._owner)
            self._replace(parent, fresh, path.pure.name)

    def link(self, path: InnerPath, target: Path) -> None:
        """Make a symbolic link, in the place of what was there."""
        fresh = f".new-{secrets.token_hex(8)}"
        with self._folder(path.pure.parent.parts, make=True) as parent:
            os.symlink(target, fresh, dir_fd=parent)
            if self._owner is not None:
                os.chown(fresh, self._owner, self._owner, dir_fd=parent, follow_symlinks=False)
            self._replace(parent, fresh, path.pure.name)

    def read(self, path: InnerPath, most: int, seen_as: str = "") -> bytes:
        """The bytes of a regular file, `most` at most. FileNotFoundError for all else.

        `seen_as` is the folder's own path as the programs saw it; absolute links of theirs begin with it.
        """
        try:
            parts = self._resolve(path.pure.parts, PurePosixPath(seen_as) if seen_as else None)
            with self._folder(parts[:-1]) as parent, os.fdopen(os.open(parts[-1], _READ, dir_fd=parent), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise FileNotFoundError(str(path))
                return file.read(most)
        except (OSError, IndexError) as error:
            raise FileNotFoundError(str(path)) from error

    def _resolve(self, parts: Sequence[str], seen_as: PurePosixPath | None) -> list[str]:
        """The path without links; FileNotFoundError where one leads out."""
        done: list[str] = []
        todo, links = list(reversed(parts)), 0
        while todo:
            part = todo.pop()
            if part == "..":
                done.pop()
                continue
            with self._folder(done) as parent:
                found = os.stat(part, dir_fd=parent, follow_symlinks=False)
                if not stat.S_ISLNK(found.st_mode):
                    done.append(part)
                    continue
                target = PurePosixPath(os.readlink(part, dir_fd=parent))
            links += 1
            if links > MAX_LINKS:
                raise FileNotFoundError("/".join(parts))
            if target.is_absolute():
                if seen_as is None or not target.is_relative_to(seen_as):
                    raise FileNotFoundError("/".join(parts))
                done, target = [], target.relative_to(seen_as)
            todo += reversed(target.parts)
        return done

    @contextmanager
    def _folder(self, parts: Sequence[str], make: bool = False) -> Iterator[int]:
        here = os.dup(self._root)
        try:
            for part in parts:
                inner = self._open_or_make(here, part) if make else os.open(part, _FOLDER, dir_fd=here)
                os.close(here)
                here = inner
            yield here
        finally:
            os.close(here)

    def _open_or_make(self, parent: int, name: str) -> int:
        try:
            return os.open(name, _FOLDER, dir_fd=parent)
        except FileNotFoundError:
            pass
        except NotADirectoryError:  # also a link, whatever it leads to
            os.unlink(name, dir_fd=parent)
        os.mkdir(name, 0o755, dir_fd=parent)
        made = os.open(name, _FOLDER, dir_fd=parent)
        if self._owner is not None:
            os.fchown(made, self._owner, self._owner)
        return made

    def _replace(self, parent: int, fresh: str, name: str) -> None:
        try:
            os.rename(fresh, name, src_dir_fd=parent, dst_dir_fd=parent)
        except IsADirectoryError:
            remove(Path(f"/proc/{os.getpid()}/fd/{parent}", name))
            os.rename(fresh, name, src_dir_fd=parent, dst_dir_fd=parent)


@contextmanager
def held_folder(folder: Path, owner: int | None = None) -> Iterator[HeldFolder]:
    """A folder for a moment; SandboxLostError where a program made it so that we cannot work in it."""
    try:
        with closing(HeldFolder(folder, owner)) as opened:
            yield opened
    except FileNotFoundError:
        raise
    except OSError as error:
        raise SandboxLostError(f"the workspace cannot be used any more: {error.strerror}") from error
