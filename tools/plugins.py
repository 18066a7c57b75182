"""What other installed packages add to this program: entry points of its groups, by name.

A package that is installed beside this program is trusted as this program is; nothing of a repository or a model is ever one.
Python also looks into the working folder where it runs a line, a prompt or a notebook. What lies there was installed by nobody.
"""

import functools
import hashlib
import importlib.metadata
import importlib.util
import logging
import os
import site
import sys
import sysconfig
from collections.abc import Collection, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from ml_agent.tools.errors import PluginError

FRAMEWORKS = "ml_agent.frameworks"
"""Name -> {dotted name of a library's function or class: factory of what models it}; see tools/signatures/added.py."""
NAVIGATORS = "ml_agent.navigators"
"""Name -> function of the settings and the navigator without a model that gives a Navigator."""
SANDBOXES = "ml_agent.sandboxes"
"""Name -> function of a Policy and a folder for logs that gives a Sandbox."""
AGENTS = "ml_agent.agents"
"""Name -> class of a bench subject without arguments."""
SCORERS = "ml_agent.scorers"
"""Name -> function of a row, an answer and the repository's folder that gives whether it passes, and why not."""


DIAGNOSIS = "ml_agent.diagnosis"
"""Name -> sequence of (category, rule), tried before those of sandbox/diagnosis."""

_LOG = logging.getLogger(__name__)
_TOLD: set[str] = set()
"""Packages of whose errors was told."""
_MOST_FILES = 1_000
"""Python files of a package that count for the keys of caches."""


@functools.cache
def entry_points(group: str) -> Mapping[str, importlib.metadata.EntryPoint]:
    """What installed packages add to a group, by name."""
    return {point.name: point for point in _ours() if point.group == group}


@functools.cache
def _ours() -> tuple[importlib.metadata.EntryPoint, ...]:
    """Of all groups: to read what every package says of itself takes milliseconds."""
    distributions = importlib.metadata.distributions(path=_package_folders())
    return tuple(point for one in distributions for point in one.entry_points if point.group.startswith("ml_agent."))


def _package_folders() -> list[str]:
    """Where packages are installed: this Python's own places, and what the user named in PYTHONPATH."""
    named = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    own = [*site.getsitepackages(), site.getusersitepackages(), *sysconfig.get_paths().values()]
    trusted = {Path(entry).resolve() for entry in (*own, *named)} - {Path.cwd().resolve()}
    return [entry for entry in dict.fromkeys(sys.path) if entry and Path(entry).resolve() in trusted]


def installed() -> tuple[str, ...]:
    """The packages besides this one that add something, each with its version and what it adds; nothing is imported."""
    added: dict[str, list[str]] = {}
    for point in (one for one in _ours() if one.dist is None or one.dist.name != "ml-agent"):
        added.setdefault(_origin(point), []).append(f"{point.group.removeprefix('ml_agent.')} {point.name}")
    return tuple(f"{package} ({', '.join(sorted(things))})" for package, things in sorted(added.items()))


def names(group: str) -> tuple[str, ...]:
    """What is there, sorted; nothing is imported."""
    return tuple(sorted(entry_points(group)))


def is_added(group: str, name: str, ours: Collection[str] = ()) -> bool:
    """Whether a package adds what has this name. Raises PluginError where it is the name of one of ours, too."""
    point = entry_points(group).get(name)
    if point is not None and name in ours:
        raise PluginError(
            f"the package {_origin(point)} adds {name!r} to {group}, but {name!r} is built in: choose another name"
        )
    return point is not None


def made_by(group: str, name: str) -> str:
    """The package, with its version, that adds what has this name."""
    return _origin(entry_points(group)[name])


def load(group: str, name: str) -> Any:
    """The object of that name. Raises PluginError where there is none or its package cannot be imported."""
    point = entry_points(group).get(name)
    if point is None:
        raise PluginError(
            f"no installed package adds a {group.removeprefix('ml_agent.').removesuffix('s')} called {name}"
        )
    try:
        return point.load()
    except Exception as error:  # code of others: whatever it raises, the reader needs to know whose it is
        raise PluginError(f"the package {_origin(point)} cannot be loaded: {type(error).__name__}: {error}") from error


def everything(group: str) -> dict[str, Any]:
    """All objects of a group by name. Raises PluginError."""
    return {name: load(group, name) for name in names(group)}


@functools.cache
def added_names() -> frozenset[str]:
    """The dotted names of library objects that frameworks of packages model. Raises PluginError."""
    return frozenset(frameworks())


@functools.cache
def frameworks() -> Mapping[str, Any]:
    """What models each library object of packages' frameworks, by its dotted name. Raises PluginError."""
    found: dict[str, Any] = {}
    for name, added in everything(FRAMEWORKS).items():
        if not isinstance(added, Mapping) or not all(map(callable, added.values())):
            raise PluginError(
                f"{name} of the package {made_by(FRAMEWORKS, name)} must be a dictionary from dotted names to functions"
            )
        found |= added
    return found


def identity(group: str) -> str:
    """What is there, with its versions and its sources, for the keys of caches."""
    return " ".join(
        f"{name}={_origin(point)}={_sources(point.module.partition('.')[0])}"
        for name, point in sorted(entry_points(group).items())
    )


@functools.cache
def _sources(module: str) -> str:
    """Names the Python files of a module or package, which change under the same version while somebody works on them."""
    spec = importlib.util.find_spec(module)
    folders = [Path(one) for one in (spec.submodule_search_locations or ())] if spec else []
    files = [one for folder in folders for one in islice(folder.rglob("*.py"), _MOST_FILES)]
    if spec is not None and spec.origin and not folders:
        files = [Path(spec.origin)]
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(files):
        digest.update(os.fsencode(path) + b"\0" + path.read_bytes())
    return digest.hexdigest()


def author_of(error: BaseException) -> str:
    """The package, with its version, in whose code an error was raised; "" where that is none that adds something."""
    added = {point.module.partition(".")[0]: point for point in _ours()}
    added.pop(__name__.partition(".")[0], None)  # what they call of ours is called by them
    raised, found = error.__traceback__, ""
    while raised is not None:
        point = added.get(str(raised.tb_frame.f_globals.get("__name__", "")).partition(".")[0])
        found, raised = _origin(point) if point is not None else found, raised.tb_next
    return found


def shows_tracebacks() -> bool:
    """Whether the user asked to see where errors were raised."""
    return os.environ.get("ML_AGENT_DEBUG", "0") not in ("", "0")


def tell_of(error: Exception) -> str:
    """Say on stderr in whose code an error was raised, once a process for each package; gives what it says, "" of our own errors."""
    author = author_of(error)
    if not author:
        return ""
    said = "".join(filter(str.isprintable, str(error)))[:300]  # it may quote a repository
    text = f"error in {author}: {type(error).__name__}: {said}"
    if author not in _TOLD:
        _TOLD.add(author)
        debug = shows_tracebacks()
        where = "" if debug else " (ML_AGENT_DEBUG=1 shows where)"
        _LOG.warning("ml-agent: %s%s", text, where, exc_info=error if debug else None)
    return text


def _origin(point: importlib.metadata.EntryPoint) -> str:
    owner = point.dist
    if owner is None or "Name" not in (owner.metadata or ()):
        return f"of {point.value} (only partly installed: install it again)"
    return f"{owner.name} {owner.version}"
