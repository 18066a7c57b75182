"""What a repository counts on: which import names are libraries, what its installation provides, which console scripts it has."""

import functools
import posixpath
import re
import sys
from pathlib import Path

import msgspec

from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.libraries import known_libraries
from ml_agent.tools.signatures.console import console_scripts
from ml_agent.tools.signatures.read import SignatureReader
from ml_agent.tools.signatures.setup_files import import_folders
from ml_agent.tools.signatures.sources import Sources

IMPORT = re.compile(
    r"^[ \t]*(?:>>> )?(?:from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+import|import[ \t]+([A-Za-z_][\w., \t]*))", re.MULTILINE
)
PIP = re.compile(r"(?:pip3?|conda|mamba)\s+install\s+([^\n;&|]+)")
MANIFESTS = ("setup.py", "setup.cfg", "pyproject.toml")
TEXTS = (".py", ".md", ".rst", ".ipynb", ".txt")
MAX_BYTES = 2_000_000
_REQUIREMENT = re.compile(
    r"(?:^|['\"])[ \t]*([A-Za-z][\w.-]*)[ \t]*(?:[<>=!~]=[^'\"\n]*|\[[^\]\n]*\])?[ \t]*(?:$|['\"])", re.MULTILINE
)


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
    declared: set[str] = set()
    manifests: list[Path] = []
    for path in root.rglob("*"):
        if path.is_symlink() or path.relative_to(root).parts[0].startswith(".git"):
            continue
        if path.is_dir():
            own.add(path.name)
            continue
        own |= {path.stem} if path.suffix == ".py" else set()
        manifests += [path] if path.name in MANIFESTS else []
        if path.suffix in TEXTS and path.stat().st_size < MAX_BYTES:
            text = _text(path).replace("\\n", "\n") if path.suffix == ".ipynb" else _text(path)
            imported |= _imports(text)
            declared |= _requirements(text) if "requirements" in path.name else set()
    for manifest in manifests:
        declared |= _requirements(_text(manifest))
    installed = _installed_folders(root)
    return Libraries(
        foreign=frozenset(((imported - own) | known_libraries() | declared) - set(sys.stdlib_module_names)),
        installed=installed,
        console=_console(root) if installed else {},
    )


def announced(text: str) -> set[str]:
    """Import names of what a text installs with pip or conda."""
    words = (word for match in PIP.finditer(text) for word in match.group(1).split() if not word.startswith("-"))
    names = {re.split(r"[<>=!\[~;]", word)[0].strip("'\"").lower() for word in words}
    return {name.replace("-", "_") for name in names} | {name.split("-")[0] for name in names}


@functools.lru_cache(maxsize=32)
def signature_reader(root: Path) -> SignatureReader:
    """What reads the programs of a repository; it keeps what it has read."""
    return SignatureReader(root)


def _text(path: Path) -> str:
    return read_text(path, MAX_BYTES).replace("\r\n", "\n")


def _imports(text: str) -> set[str]:
    names = set()
    for match in IMPORT.finditer(text):
        parts = [match.group(1)] if match.group(1) else match.group(2).split(",")
        names |= {part.split()[0].partition(".")[0] for part in parts if part.split()}
    return names


def _requirements(text: str) -> set[str]:
    """Import names that distribution names in requirement lines and quoted requirements suggest."""
    return {match.group(1).lower().replace("-", "_") for match in _REQUIREMENT.finditer(text)}


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
