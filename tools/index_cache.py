"""Parts of an index on disk: one file a part, named by what it was made from and by what made it."""

import contextlib
import functools
import hashlib
import importlib.metadata
import logging
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from ml_agent.tools import plugins
from ml_agent.tools.atomic import write_whole
from ml_agent.tools.bounded import read_bytes
from ml_agent.tools.unkept import warn_of_cache

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_IMPORT = re.compile(
    r"^[ \t]*(?:from\s+(ml_agent\.tools[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+(ml_agent\.tools[\w.]*))",
    re.MULTILINE,
)
_PARSERS = ("markdown-it-py", "pyflakes")
_ROOM = Path(__file__).parent
_LARGEST = 1_000_000_000
"""Bytes; a larger part is made again."""
_PLAIN_NAME = re.compile(r"[\w][\w.+-]{0,80}")


class PartCache:
    """The cached parts of one repository at one version.

    Args:
        folder: Where all indexes are kept; created at the first write.
        version: Names the content of the repository: a commit, or a hash.
    """

    def __init__(self, folder: Path, version: str) -> None:
        self._folder = folder / _file_name(version)

    def path(self, part: str, extractor: str) -> Path:
        """The file of a part as made by the extractor in that module."""
        return self._folder / f"{part}-{fingerprint(extractor)}.msgpack"

    def load(self, path: Path, kind: type[T]) -> T | None:
        """The part in that file; None where it is missing or unreadable."""
        try:
            return msgspec.msgpack.decode(read_bytes(path, _LARGEST), type=kind)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError, RecursionError) as error:
            _LOG.warning("index file %s is unreadable and is made again: %s", path, error)
            return None

    def store(self, path: Path, part: object) -> None:
        """Write a part in one step, and drop what older extractors left of it. A full or read-only disk costs only the cache."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, msgspec.msgpack.encode(part))
            for stale in path.parent.glob(path.name.split("-")[0] + "-*.msgpack"):
                if stale != path:
                    with contextlib.suppress(FileNotFoundError):
                        stale.unlink()
        except OSError as error:
            warn_of_cache(error)


@functools.cache
def fingerprint(module: str) -> str:
    """A hash of the source of a module and of every `tools` module it imports, directly or not, with the tables beside them.

    A change in one extractor so invalidates what that extractor made and nothing else. The interpreter and the parsing
    libraries count too, and packages that add frameworks.
    """
    digest = hashlib.sha256(str(sys.version_info[:2]).encode())
    for version in _parser_versions():
        digest.update(version.encode())
    digest.update(plugins.identity(plugins.FRAMEWORKS).encode())
    for name, source in sorted(_sources(module).items()):
        digest.update(name.encode())
        digest.update(source)
    return digest.hexdigest()[:16]


@functools.cache
def _parser_versions() -> tuple[str, ...]:
    return tuple(map(importlib.metadata.version, _PARSERS))


def _sources(module: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    pending = [module]
    while pending:
        name = pending.pop()
        if name in found or (source := _source(name)) is None:
            continue
        found[name] = source.text
        pending.extend(source.imports)
    return found


class _Source(NamedTuple):
    text: bytes
    imports: tuple[str, ...]
    """Names that may be modules of this package; some are classes and functions."""


@functools.cache
def _source(module: str) -> _Source | None:
    """The source of a module of this package; None where there is none (the name was a class or a function)."""
    base = "/".join((str(_ROOM), *module.split(".")[2:]))
    for file in (f"{base}.py", f"{base}/__init__.py"):
        try:
            text = Path(file).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            continue
        table = Path(f"{base}.toml")
        return _Source(text + (table.read_bytes() if table.exists() else b""), tuple(_imports(text.decode())))
    return None


def _imports(text: str) -> Iterator[str]:
    for base, names, plain in _IMPORT.findall(text):
        yield base or plain
        if base:
            yield from (f"{base}.{word}" for word in re.findall(r"\w+", names))


def _file_name(version: str) -> str:
    if _PLAIN_NAME.fullmatch(version):
        return version
    return hashlib.sha256(version.encode("utf-8", "surrogateescape")).hexdigest()
