"""Programs that manifests of a repository declare and that are not read here: of Rust, of Node, and of Python code elsewhere."""

import json
import posixpath
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from ml_agent.tools.config_text import read_toml
from ml_agent.tools.signatures.console import declared_names
from ml_agent.tools.signatures.sources import Sources

MAX_MANIFESTS = 200
"""Manifests that are read, those near the root first."""


def declared_programs(sources: Sources, files: Iterable[str]) -> dict[str, str]:
    """Where programs are declared that installing or building parts of a repository makes, by their names; never raises.

    Args:
        sources: of the repository.
        files: its files.
    """
    manifests = [path for path in files if posixpath.basename(path) in _READERS]
    ordered = sorted(manifests, key=lambda path: (path.count("/"), path))
    found: dict[str, str] = {}
    for path in islice(ordered, MAX_MANIFESTS):
        for name in _READERS[posixpath.basename(path)](path, sources):
            found.setdefault(name, path)
    return dict.fromkeys(declared_names(sources), "the setup files") | found


def _cargo(path: str, sources: Sources) -> Iterator[str]:
    """[[bin]] tables; the package itself where it has src/main.rs."""
    try:
        data = read_toml(sources.text(path) or "")
    except ValueError:
        return
    bins = data.get("bin")
    for one in bins if isinstance(bins, list) else []:
        yield from _names([one.get("name")] if isinstance(one, dict) else [])
    package = data.get("package")
    if isinstance(package, dict) and sources.exists(posixpath.join(posixpath.dirname(path), "src/main.rs")):
        yield from _names([package.get("name")])


def _node(path: str, sources: Sources) -> Iterator[str]:
    """`bin`: one program by the package's name, or several by their own."""
    try:
        data = json.loads(sources.text(path) or "")
    except (ValueError, RecursionError):
        return
    given = data.get("bin") if isinstance(data, dict) else None
    if isinstance(given, dict):
        yield from _names(given)
    elif isinstance(given, str):
        yield from (name.rpartition("/")[2] for name in _names([data.get("name")]))


def _names(given: Iterable[Any]) -> Iterator[str]:
    return (name for name in given if isinstance(name, str) and name)


_READERS: dict[str, Callable[[str, Sources], Iterator[str]]] = {"Cargo.toml": _cargo, "package.json": _node}
