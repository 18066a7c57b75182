"""What a repository counts on: which import names are libraries, what its installation provides, which console scripts it has."""

import functools
import posixpath
import sys
from pathlib import Path

import msgspec

from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.libraries import known_libraries
from ml_agent.tools.outline import imported_tops, imports_in
from ml_agent.tools.python_api.requirements import read_requirements
from ml_agent.tools.signatures.console import console_scripts
from ml_agent.tools.signatures.read import SignatureReader
from ml_agent.tools.signatures.setup_files import import_folders
from ml_agent.tools.signatures.sources import Sources

MANIFESTS = ("setup.py", "setup.cfg", "pyproject.toml")
TEXTS = (".py", ".md", ".rst", ".ipynb", ".txt")
MAX_BYTES = 2_000_000


class Libraries(msgspec.Struct, frozen=True, kw_only=True):
    """What a repository counts on."""

    foreign: frozenset[str]
    """Import names that are libraries."""
    installed: tuple[str, ...]
    """Folders of the repository that its installation puts on the import path."""
    console: dict[str, str]
    """Console scripts: name -> `module:function`, or the file that is installed as it is."""


@functools.lru_cache(maxsize=64)
def libraries_of(root: Path) -> Libraries:
    """Read a repository's imports, manifests and requirements."""
    imported: set[str] = set()
    own: set[str] = set()
    files: list[str] = []
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_symlink() or name.startswith(".git"):
            continue
        if path.is_dir():
            own.add(path.name)
            continue
        files.append(name)
        own |= {path.stem} if path.suffix == ".py" else set()
        if path.suffix in TEXTS and path.stat().st_size < MAX_BYTES:
            text = read_text(path, MAX_BYTES)
            imported |= imported_tops(imports_in(text.replace("\\n", "\n") if path.suffix == ".ipynb" else text))
    installed = _installed_folders(root)
    declared = read_requirements(root, files)
    return Libraries(
        foreign=frozenset(((imported - own) | known_libraries() | {*declared}) - sys.stdlib_module_names),
        installed=installed,
        console=_console(root) if installed else {},
    )


@functools.lru_cache(maxsize=32)
def signature_reader(root: Path) -> SignatureReader:
    """What reads the programs of a repository; it keeps what it has read."""
    return SignatureReader(root)


def _installed_folders(root: Path) -> tuple[str, ...]:
    """The folders that an installation of the repository's own project puts on the import path."""
    if not any((root / name).is_file() for name in MANIFESTS):
        return ()
    places = map(posixpath.normpath, (".", "src", *import_folders(Sources(root).package_folders("."))))
    return tuple(dict.fromkeys(p for p in places if p != ".." and not p.startswith(("/", "../"))))


def _console(root: Path) -> dict[str, str]:
    """What installing the repository itself puts on the path; folders below it with a setup of their own are not installed."""
    found = console_scripts(Sources(root))
    return {one.name: f"{one.module}:{one.function}" if one.function else one.path for one in found}
