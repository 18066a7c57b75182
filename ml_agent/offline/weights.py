"""The fitted weights, written by `python -m benchmarks.fit`: linear sums of features."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from operator import mul
from pathlib import Path
from typing import Any

Table = Mapping[str, float]


class Linear:
    """A weighted sum of features.

    Args:
        table: the weight of each feature in the order of the vectors, by name, and `bias`.
    """

    def __init__(self, table: Table) -> None:
        self._weights = [weight for name, weight in table.items() if name != "bias"]
        self._bias = table.get("bias", 0.0)

    def __call__(self, vector: Sequence[float]) -> float:
        return self._bias + float(sum(map(mul, self._weights, vector)))


class Weights:
    """All that was fitted.

    Args:
        tables: `value`, `switch`, `entry`, `answer` and `confidence` by feature; `stake` by kind of value.
    """

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self.value = Linear(tables["value"])
        self.switch = Linear(tables["switch"])
        self.entry = Linear(tables["entry"])
        self.answer = Linear(tables["answer"])
        self.confidence = Linear(tables["confidence"])
        self.stake: Mapping[str, float] = tables["stake"]
        """By kind of value: what speaks for a place for it at all, as log-odds."""


@cache
def shipped() -> Weights:
    """The weights that come along."""
    return Weights(json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8")))
