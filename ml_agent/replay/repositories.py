"""Repositories on tape: the files of every checkout, packed once a commit."""

import tarfile
import tempfile
from pathlib import Path
from typing import Protocol

import msgspec

from ml_agent.replay.tape import Errors, ReplayError, Tape
from tools.atomic import unfinished_name
from tools.errors import RepositoryError, UnsafeUrlError
from tools.repository import Checkout
from tools.version_control import is_control

_ERRORS: Errors = {"RepositoryError": RepositoryError, "UnsafeUrlError": UnsafeUrlError}


class Repositories(Protocol):
    """What brings repositories here."""

    def get(self, source: str, commit: str | None = None) -> Checkout:
        """The files of a repository at a commit."""


class TapeRepositories:
    """Packs the checkouts that pass through it, or unpacks them; a folder of the user's is used where it is."""

    def __init__(self, tape: Tape, inner: Repositories, folder: Path) -> None:
        """`folder` takes what a replay unpacks."""
        self._tape, self._inner, self._folder = tape, inner, folder

    def get(self, source: str, commit: str | None = None) -> Checkout:
        """The files of `source` at a commit; ReplayError where the tape does not hold them."""
        asked = {"source": source, "commit": commit}
        checkout = self._tape.call("repository", asked, lambda: self._inner.get(source, commit), Checkout, _ERRORS)
        if checkout.local:
            return checkout
        packed = self._tape.path("repository", [checkout.url, checkout.version]).with_suffix(".tar.gz")
        if not self._tape.replaying:
            _pack(checkout.root, packed)
            return checkout
        return msgspec.structs.replace(checkout, root=self._unpack(packed, checkout))

    def _unpack(self, packed: Path, checkout: Checkout) -> Path:
        home = self._folder / packed.name.removesuffix(".tar.gz")
        root = home / checkout.root.name
        if root.is_dir():
            return root
        if not packed.exists():
            raise ReplayError(f"--replay {self._tape.folder}: holds no files of {checkout.url}; record the run again")
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._folder) as temporary:
            fresh = Path(temporary) / "fresh"
            fresh.mkdir()
            with tarfile.open(packed) as archive:
                archive.extractall(fresh, filter="data")
            if not home.exists():
                fresh.rename(home)
        return root


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
