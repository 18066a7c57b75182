"""The subjects by name."""

from pathlib import Path

from benchmarks.errors import BenchError
from benchmarks.subjects.aider import Aider
from benchmarks.subjects.autogen import AutoGen
from benchmarks.subjects.install import Installed
from benchmarks.subjects.mini_swe_agent import MiniSweAgent
from benchmarks.subjects.openhands import OpenHands
from benchmarks.subjects.subject import Subject
from benchmarks.subjects.swe_agent import SweAgent

_PACKAGED = (MiniSweAgent, Aider, AutoGen, OpenHands)


def names() -> tuple[str, ...]:
    """All that there are."""
    return (*(kind.name for kind in _PACKAGED), SweAgent.name)


def subject(name: str, checkout: Path | None = None) -> Subject:
    """The subject of that name; BenchError names the others.

    Args:
        name: One of `names()`.
        checkout: For an agent that is installed from one; not needed once it is installed.
    """
    if name == SweAgent.name:
        return SweAgent(checkout)
    for kind in _PACKAGED:
        if kind.name == name:
            return kind()
    raise BenchError(f"no such agent: {name}; there are {', '.join(names())}")


def installed(name: str, home: Path) -> Installed | None:
    """Its environment under `home`, None where it is not installed."""
    return subject(name).find(home)
