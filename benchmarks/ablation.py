"""What each feature of a value in a slot is worth on repositories that were left out: `python -m benchmarks.ablation`.

The table of values is fitted anew without the feature, and each value of the held-out repositories is put where it scores best, or
nowhere. A feature pays where that goes wrong more often without it.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ml_agent.benchmarks.fit import learn
from ml_agent.benchmarks.fit.examples import KINDS, slot_examples
from ml_agent.benchmarks.fit.prepared import add_sources, prepared, sources_of
from ml_agent.benchmarks.fit.relatives import family
from ml_agent.matching.features import FEATURES

FOLDS = 5
PAYS = 3
"""In so many repositories more than the other way round a feature must help."""


class Worth(NamedTuple):
    """What leaving a feature out changes on held-out values."""

    feature: str
    lost: int
    """Values that go wrong without it and not with it, less those the other way round."""
    helps: int
    """Repositories with more values right with it."""
    harms: int
    """Repositories with more values right without it."""

    @property
    def pays(self) -> bool:
        """Whether it helps in enough repositories."""
        return self.lost > 0 and self.helps - self.harms >= PAYS


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each feature, those that pay most first."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_sources(parser)
    options = parser.parse_args(arguments)
    rows, _ = prepared(sources_of(options))
    groups = [
        g for one in rows if one.row.readable for g in slot_examples(one.row, one.own.slots_for(one.row.statement))[0]
    ]
    sys.stdout.write(report(worths(groups), len(groups), len({group.repository for group in groups})))
    return 0


def worths(groups: Sequence[learn.Group], features: Sequence[str] = FEATURES) -> list[Worth]:
    """What each feature is worth, those first without which most goes wrong.

    Args:
        groups: each stated value with every slot where it could be.
        features: those that are looked at.
    """
    repositories = [group.repository for group in groups]
    given = learn.arrays_of(groups)
    with_all = _right(given, repositories)
    found = []
    for feature in features:
        vectors = given.vectors.copy()
        vectors[:, FEATURES.index(feature)] = 0.0
        found.append(_worth(feature, with_all, _right(given._replace(vectors=vectors), repositories), repositories))
    return sorted(found, key=lambda one: (-one.lost, one.feature))


def _worth(feature: str, with_it: np.ndarray, without: np.ndarray, repositories: Sequence[str]) -> Worth:
    change: dict[str, int] = dict.fromkeys(repositories, 0)
    for name, one, other in zip(repositories, with_it, without, strict=True):
        change[name] += int(one) - int(other)
    helps, harms = sum(one > 0 for one in change.values()), sum(one < 0 for one in change.values())
    return Worth(feature, sum(change.values()), helps, harms)


def _right(given: learn.Arrays, repositories: Sequence[str]) -> np.ndarray:
    """(groups,): whether each value is put right by a table that never saw its repository or its relatives."""
    starts = np.r_[0, np.cumsum(given.sizes)]
    found = np.zeros(len(repositories), bool)
    for fold in _folds(repositories):
        kept = family(fold)
        seen = np.array([name not in kept for name in repositories])
        weights, bias, none = learn.fit_arrays(_part(given, seen), len(KINDS), learn.VALUE_PENALTY)
        scores = given.vectors @ weights + bias
        for at in np.flatnonzero([name in fold for name in repositories]):
            own = scores[starts[at] : starts[at + 1]]
            best = int(np.argmax(own))
            right = given.right[starts[at] : starts[at + 1]]
            found[at] = bool(right[best]) if own[best] > none[given.kind[at]] else not right.any()
    return found


def _part(given: learn.Arrays, seen: np.ndarray) -> learn.Arrays:
    rows = np.repeat(seen, given.sizes)
    return learn.Arrays(given.vectors[rows], given.right[rows], given.sizes[seen], given.kind[seen], given.weight[seen])


def _folds(repositories: Sequence[str]) -> Iterator[frozenset[str]]:
    names = sorted(set(repositories))
    random.Random(0).shuffle(names)
    yield from (frozenset(names[at::FOLDS]) for at in range(FOLDS) if names[at::FOLDS])


def report(found: Sequence[Worth], values: int, repositories: int) -> str:
    """The table, as Markdown."""
    head = f"{values} values of {repositories} repositories, held out by fifths.\n\n"
    lines = ["| feature | values lost without it | repositories: helps, harms |", "|---|---|---|"]
    lines += [f"| `{one.feature}` | {one.lost:+} | {one.helps}, {one.harms} |" for one in found]
    return head + "\n".join(lines) + f"\n\n{sum(one.pays for one in found)} of {len(found)} features pay.\n"


if __name__ == "__main__":
    sys.exit(main())
