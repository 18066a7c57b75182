"""What was found out about an answer, kept under everything that it depends on: the answer, the repository as it is, and our own source."""

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ml_agent.benchmarks.strict.code_cache import cache_root
from ml_agent.benchmarks.strict.execute import HERE
from ml_agent.benchmarks.strict.given import given_parsers
from ml_agent.benchmarks.strict.walls import bubblewrap
from ml_agent.files import write_atomically
from ml_agent.tools.errors import RepositoryError
from ml_agent.tools.versions import local_version


def kept_file(name: str, root: Path, parts: Sequence[str], sources: Sequence[str] = ()) -> Path:
    """Where something is kept.

    Args:
        name: the folder of its kind.
        root: the repository's folder.
        parts: what else it depends on, such as the answer.
        sources: files of ours that make it, beside those that run answers.
    """
    root = root.resolve()
    machine = (*sorted(given_parsers()), "walled" if bubblewrap() else "open")
    whole = "\0".join((_source_version(tuple(sources)), _version(root), str(root), *machine, *parts))
    key = hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()
    return cache_root() / name / key[:2] / f"{key}.json"


def keep(file: Path, found: msgspec.Struct) -> None:
    """Keep something, where the cache can be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, msgspec.json.encode(found).decode())
    except OSError:
        return


@functools.lru_cache(maxsize=256)
def _version(root: Path) -> str:
    try:
        return local_version(root)
    except RepositoryError:
        return ""


@functools.cache
def _source_version(more: tuple[str, ...]) -> str:
    """Changes with the source of what looks at answers."""
    files = [*sorted(HERE.rglob("*.py")), *map(Path, more)]
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()
