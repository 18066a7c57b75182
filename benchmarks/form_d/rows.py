"""The delivery rows that ship: a repository, an instruction, inputs made with a seed, and what must come out.

A repository is the unpacked source distribution of a package. Bringing it runs nothing of it, not even its setup.
"""

import hashlib
import io
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import requests
from pip._internal.models.index import PyPI

from ml_agent.sandbox.pip_settings import read_pip_settings
from ml_agent.sandbox.unpack import unpack_tar

FOLDER = Path(__file__).parent
ARCHIVES = "archives"
"""Where `bench make --form D` keeps the repositories of its rows."""
MOST_BYTES = 10_000_000
"""The largest archive that a row may name."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One task: what a user wants of a repository."""

    name: str
    folder: Path = FOLDER
    """Where the rows lie, with what their references delivered in `expected`."""
    source: str
    """`pypi:PACKAGE==VERSION`, or for a made row the repository's address and version."""
    sha256: str
    """Of the archive."""
    field: str
    instruction: str
    outputs: list[str]
    steps: int = 1
    old: bool = False
    """It was published from 2014 to 2019 and does not work with today's versions of Python and what it needs."""
    compiled: bool = False
    """It has parts in C, C++ or Cython that must be built where no wheel fits."""
    python: str = "3.11"
    """What the reference runs with."""
    inputs: bool = True
    """Whether it has files of its own besides the repository."""
    why: str = ""
    """Where the repository documents what a made row asks for."""
    checks: list[dict[str, Any]] = []
    """What `judges` compares with the reference's outputs."""

    @property
    def repository(self) -> str:
        """What it is a row of, for people."""
        return self.source.removeprefix("pypi:").replace("==", " ")


def load_rows(folder: Path = FOLDER) -> dict[str, Row]:
    """All rows of a folder by name: those that ship, or those that `bench make --form D` wrote."""
    table = tomllib.loads((folder / "rows.toml").read_text(encoding="utf-8"))
    return {name: msgspec.convert({"name": name, "folder": folder, **values}, Row) for name, values in table.items()}


def bring_repository(row: Row, folder: Path, archives: Path) -> None:
    """Unpack the row's archive, without its top folder, into `folder`, which must not be there.

    The archive is downloaded where it is not in `archives` already. Raises ValueError where the index does not have it,
    requests.RequestException where it does not answer.
    """
    archive = archives / row.sha256
    if not archive.is_file():
        archive.write_bytes(_download(row))
    data = archive.read_bytes()
    if hashlib.sha256(data).hexdigest() != row.sha256:
        raise ValueError(
            f"row {row.name}: the archive {archive} does not have the row's sha256: remove it and run the command again"
        )
    unpacked = folder.with_name(f"{folder.name}.unpacked")
    unpacked.mkdir()
    unpack_tar(io.BytesIO(data), unpacked)
    (top,) = unpacked.iterdir()
    top.rename(folder)
    unpacked.rmdir()


def _download(row: Row) -> bytes:
    """The archive, by the index's own list of the package's files."""
    if not row.source.startswith("pypi:"):
        raise ValueError(
            f"row {row.name}: the archive of {row.source} is missing: give --repos {row.folder / ARCHIVES}"
        )
    package, version = row.source.removeprefix("pypi:").split("==")
    settings = read_pip_settings()
    asked = requests.Session()
    asked.verify = str(settings.certificates) if settings.certificates else True
    address = f"{(settings.index_url or PyPI.simple_url).rstrip('/')}/{package.lower()}/"
    listing = asked.get(address, headers={"Accept": "application/vnd.pypi.simple.v1+json"}, timeout=60)
    listing.raise_for_status()
    for file in listing.json()["files"]:
        if file["hashes"].get("sha256") == row.sha256 and file.get("size", 0) <= MOST_BYTES:
            found = asked.get(file["url"], timeout=120)
            found.raise_for_status()
            return found.content
    raise ValueError(f"row {row.name}: the package index has no archive of {package} {version} with the row's sha256")
