"""Import names of widely used libraries: what may be installed though a repository does not ask for it."""

import functools
from importlib.resources import files


@functools.cache
def known_libraries() -> frozenset[str]:
    """The top-level names that are listed in libraries.txt."""
    text = files("ml_agent.tools").joinpath("libraries.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
