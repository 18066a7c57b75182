"""From the name of a module to the distribution that provides it."""

import re
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("distributions.txt")

NOT_FOR_SALE = frozenset(
    {"apex", "detectron2", "segment_anything", "pytorch3d", "tinycudann", "colab", "sets", "StringIO"}
)
"""Modules whose namesakes on the public index are something else, or which are built from source for one graphics card."""


@cache
def _table() -> dict[str, tuple[str, ...]]:
    rows = (line.split() for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {row[0]: tuple(row[1:]) for row in rows if row and not row[0].startswith("#")}


@cache
def _providers() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for module, names in _table().items():
        for name in names:
            found.setdefault(normalized(name), set()).add(module)
    return {name: frozenset(modules) for name, modules in found.items()}


def normalized(name: str) -> str:
    """The name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_known(module: str) -> bool:
    """Whether the table says which distribution provides a module."""
    return module in _table() or module.partition(".")[0] in _table()


def distributions_of(module: str) -> tuple[str, ...]:
    """The distributions that provide a module, the one to install first; a guess by name where none is known."""
    parts = module.split(".")
    for size in range(len(parts), 0, -1):
        found = _table().get(".".join(parts[:size]))
        if found:
            return found
    return (parts[0].replace("_", "-"),)


def modules_of(distribution: str) -> frozenset[str]:
    """The modules that a distribution is known to provide; its own name where nothing is known."""
    known = _providers().get(normalized(distribution))
    return known or frozenset({normalized(distribution).replace("-", "_")})


def provides(distribution: str, module: str) -> bool:
    """Whether installing the distribution gives the module, as far as is known."""
    if normalized(distribution) in {normalized(name) for name in distributions_of(module)}:
        return True
    return module.partition(".")[0].lower() in {name.lower() for name in modules_of(distribution)}


def known_provider(module: str) -> str:
    """The distribution that is known to give a module, "" where none is: a name that is merely alike is none."""
    known = is_known(module) and module.partition(".")[0] not in NOT_FOR_SALE
    return distributions_of(module)[0] if known else ""
