"""Repositories on tape: the files of every checkout, packed once a commit."""

import hashlib
import tarfile
import tempfile
from pathlib import Path
from typing import BinaryIO, Protocol

import msgspec

from ml_agent.replay.tape import Errors, ReplayError, Tape
from ml_agent.sandbox.unpack import MAX_BYTES, unpack_tar
from ml_agent.tools.atomic import unfinished_name
from ml_agent.tools.bounded import open_bytes
from ml_agent.tools.errors import RepositoryError, UnsafeUrlError
from ml_agent.tools.remotes import local_folder
from ml_agent.tools.repository import Checkout
from ml_agent.tools.walk import is_control

_ERRORS: Errors = {"RepositoryError": RepositoryError, "UnsafeUrlError": UnsafeUrlError}


class Repositories(Protocol):
    """What brings repositories here."""

    def get(self, source: str, commit: str | None = None) -> Checkout:
        """The files of a repository at a commit."""


class TapeRepositories:
    """Packs the checkouts that pass through it, or unpacks them; a folder of the user's is used where it is."""

    def __init__(self, tape: Tape, inner: Repositories, folder: Path, most: int = MAX_BYTES) -> None:
        """`folder` takes what a replay unpacks, at most so many bytes of a repository."""
        self._tape, self._inner, self._folder, self._most = tape, inner, folder, most

    def get(self, source: str, commit: str | None = None) -> Checkout:
        """The files of `source` at a commit; ReplayError where the tape does not hold them."""
        asked = {"source": source, "commit": commit}
        checkout = self._tape.call("repository", asked, lambda: self._inner.get(source, commit), Checkout, _ERRORS)
        if checkout.local and not self._tape.replaying:
            return checkout
        if checkout.local:
            return self._users_own(source, commit)
        packed = self._tape.path("repository", [checkout.url, checkout.version]).with_suffix(".tar.gz")
        if not self._tape.replaying:
            _pack(checkout.root, packed)
            return checkout
        return msgspec.structs.replace(checkout, root=self._root_of(packed, checkout))

    def _users_own(self, source: str, commit: str | None) -> Checkout:
        """The folder that is asked for; which one a recording says it was does not count."""
        if local_folder(source) is None:
            raise ReplayError(
                f"--replay {self._tape.folder}: the run used the local folder {source}, which is not here; give your copy with --repo"
            )
        return self._inner.get(source, commit)

    def _root_of(self, packed: Path, checkout: Checkout) -> Path:
        """The recorded files, in a folder named by their content: one recording's never serve for another's."""
        try:
            with open_bytes(packed, self._most) as file:
                home = self._folder / hashlib.file_digest(file, "sha256").hexdigest()
                file.seek(0)
                if not home.is_dir():
                    self._unpack(file, home)
        except FileNotFoundError:
            said = f"holds no files of {checkout.url}; record the run again"
            raise ReplayError(f"--replay {self._tape.folder}: {said}") from None
        except (OSError, ValueError) as error:
            raise ReplayError(f"--replay {self._tape.folder}: {packed.name} cannot be unpacked: {error}") from error
        root = home / checkout.root.name
        if checkout.root.name in ("", "..") or root.is_symlink() or not root.is_dir():
            raise ReplayError(
                f"--replay {self._tape.folder}: its file {packed.name} holds no folder {checkout.root.name!r}; record the run again"
            )
        return root

    def _unpack(self, packed: BinaryIO, home: Path) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._folder) as temporary:
            fresh = Path(temporary) / "fresh"
            fresh.mkdir()
            unpack_tar(packed, fresh, most=self._most)
            if not home.exists():
                fresh.rename(home)


def _pack(root: Path, packed: Path) -> None:
    """The files without version control's own, and without links that lead out of the tree."""
    if packed.exists():
        return
    real = root.resolve()

    def inside(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        relative = Path(member.name).relative_to(root.name)
        if is_control(relative.as_posix()):
            return None
        if member.issym() and not (root / relative).resolve().is_relative_to(real):
            return None
        return member if member.isfile() or member.isdir() or member.issym() else None

    temporary = unfinished_name(packed)
    with tarfile.open(temporary, mode="w:gz") as archive:
        archive.add(root, arcname=root.name, filter=inside)
    temporary.replace(packed)
