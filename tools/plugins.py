"""What other installed packages add to this program: entry points of its groups, by name.

A package that is installed beside this program is trusted as this program is; nothing of a repository or a model is ever one.
"""

import functools
import importlib.metadata
from collections.abc import Mapping
from typing import Any

from tools.errors import ToolError

FRAMEWORKS = "ml_agent.frameworks"
"""Name -> {dotted name of a library's function or class: factory of what models it}; see tools/signatures/read.py."""
NAVIGATORS = "ml_agent.navigators"
"""Name -> function of the settings and the grounded navigator that gives a Navigator."""
SANDBOXES = "ml_agent.sandboxes"
"""Name -> function of a Policy and a folder for logs that gives a Sandbox."""
AGENTS = "ml_agent.agents"
"""Name -> class of a bench subject without arguments."""
SCORERS = "ml_agent.scorers"
"""Name -> function of a row, an answer and the repository's folder that gives whether it passes, and why not."""


class PluginError(ToolError):
    """What a package adds cannot be used."""


@functools.cache
def _found(group: str) -> Mapping[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=group)}


def names(group: str) -> tuple[str, ...]:
    """What is there, sorted; nothing is imported."""
    return tuple(sorted(_found(group)))


def load(group: str, name: str) -> Any:
    """The object of that name. Raises PluginError where there is none or its package cannot be imported."""
    point = _found(group).get(name)
    if point is None:
        raise PluginError(f"no such {group.removeprefix('ml_agent.').removesuffix('s')}: {name}")
    try:
        return point.load()
    except Exception as error:  # code of others: whatever it raises, the reader needs to know whose it is
        raise PluginError(f"{_origin(point)} cannot be loaded: {type(error).__name__}: {error}") from error


def everything(group: str) -> dict[str, Any]:
    """All objects of a group by name. Raises PluginError."""
    return {name: load(group, name) for name in names(group)}


def identity(group: str) -> str:
    """What is there with its versions, for the keys of caches."""
    return " ".join(f"{name}={_origin(point)}" for name, point in sorted(_found(group).items()))


def _origin(point: importlib.metadata.EntryPoint) -> str:
    owner = point.dist
    return f"{owner.name} {owner.version}" if owner is not None else point.value
