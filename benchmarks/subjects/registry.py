"""The subjects by name."""

from pathlib import Path

import msgspec

from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.subjects.agents import Aider, AutoGen, LeastAgent, MiniSweAgent, OpenHands, SweAgent
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.subject import Subject
from ml_agent.tools import plugins
from ml_agent.tools.errors import PluginError

_PARTS = ("name", "version", "find", "hindrance", "install", "run")
_PACKAGED = (MiniSweAgent, Aider, AutoGen, OpenHands, SweAgent)


def names() -> tuple[str, ...]:
    """All that are compared."""
    return (*(kind.name for kind in _PACKAGED), *plugins.names(plugins.AGENTS))


def subject(name: str, checkout: Path | None = None) -> Subject:
    """The subject of that name; BenchError names the others.

    Args:
        name: One of `names()`, or `least`, which needs no package and shows whether agents can work on this machine at all.
        checkout: For an agent that is installed from one; not needed once it is installed.
    """
    if name == SweAgent.name:
        return SweAgent(checkout)
    for kind in (*_PACKAGED, LeastAgent):
        if kind.name == name:
            return kind()
    if name not in plugins.names(plugins.AGENTS):
        raise BenchError(f"no such agent: {name}; there are {', '.join((*names(), LeastAgent.name))}")
    whose = plugins.made_by(plugins.AGENTS, name)
    try:
        made: Subject = plugins.load(plugins.AGENTS, name)()
    except PluginError:
        raise
    except Exception as error:  # code of others: whatever it raises, the reader needs to know whose it is
        raise PluginError(f"{whose}: agent {name!r}: {type(error).__name__}: {error}") from error
    lacks = [part for part in _PARTS if not hasattr(made, part)]
    if lacks:
        raise PluginError(f"{whose}: agent {name!r} has no {', '.join(lacks)}")
    return made


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How a subject stands here."""

    name: str
    version: str = ""
    """The version that it is pinned to."""
    installed: Installed | None = None
    problem: str = ""
    """Why it cannot be installed here; empty where it can."""


def statuses(home: Path) -> tuple[Status, ...]:
    """All subjects, as they stand under `home`."""
    return tuple(_status(name, home) for name in (*names(), LeastAgent.name))


def _status(name: str, home: Path) -> Status:
    try:
        found = subject(name)
    except PluginError as error:  # the others stand as they do
        return Status(name=name, problem=str(error))
    there = found.find(home)
    return Status(name=found.name, version=found.version, installed=there, problem="" if there else found.hindrance())
