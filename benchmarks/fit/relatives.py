"""Which repositories are held out together."""

import random
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files

_FIFTHS = 5


@cache
def _relatives() -> Mapping[str, list[str]]:
    return tomllib.loads(files("ml_agent.benchmarks.fit").joinpath("relatives.toml").read_text(encoding="utf-8"))


def family(repositories: Iterable[str]) -> frozenset[str]:
    """Repositories with those that share code or authors with them."""
    chosen = set(repositories)
    return frozenset(chosen | {relative for one in chosen for relative in _relatives().get(one, ())})


def relatives() -> frozenset[str]:
    """All repositories that share code or authors with a development repository, and those."""
    return frozenset(_relatives()) | {one for several in _relatives().values() for one in several}


def folds(groups: Mapping[str, str]) -> Iterator[frozenset[str]]:
    """Each development repository alone, the others in fifths.

    Args:
        groups: by repository: wild, other or written.
    """
    for name, group in sorted(groups.items()):
        if group != "written":
            yield frozenset({name})
    others = sorted(name for name, group in groups.items() if group == "written")
    random.Random(0).shuffle(others)
    for fifth in range(_FIFTHS):
        if others[fifth::_FIFTHS]:
            yield frozenset(others[fifth::_FIFTHS])
