"""The learned tables: small boosted trees, written by `python -m benchmarks.fit` and read here."""

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any


class Trees:
    """A sum of small decision trees over a vector of features.

    Args:
        table: `base`, and for each tree its nodes: feature, threshold, left, right, value (feature -1 for a leaf).
    """

    def __init__(self, table: dict[str, Any]) -> None:
        self._base = float(table["base"])
        self._trees = [[tuple(node) for node in tree] for tree in table["trees"]]

    def log_odds(self, vector: Sequence[float]) -> float:
        """The logarithm of the odds that the vector is of the positive class."""
        total = self._base
        for tree in self._trees:
            node = tree[0]
            while node[0] >= 0:
                node = tree[node[2] if vector[node[0]] <= node[1] else node[3]]
            total += node[4]
        return total


def probability(log_odds: float) -> float:
    """The probability of some odds."""
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, log_odds))))


@cache
def tables() -> dict[str, Any]:
    """What was learned, by the name of the model."""
    return dict(json.loads(files(__package__).joinpath("weights.json").read_text(encoding="utf-8")))


@cache
def trees(name: str) -> Trees:
    """One learned model."""
    return Trees(tables()[name])
