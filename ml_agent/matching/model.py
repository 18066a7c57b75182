"""The learned tables, written by `python -m benchmarks.fit` and read here: linear weights by feature, and small trees for switches."""

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from operator import mul
from typing import Any, Literal

from ml_agent.matching.answers import ANSWER_FEATURES
from ml_agent.matching.confidence import CONFIDENCE_FEATURES
from ml_agent.matching.retrieval import ENTRY_FEATURES
from ml_agent.matching.scores import VALUE_FEATURES
from ml_agent.matching.sense import encoder_in_use

Level = Literal["sure", "likely", "guess", "unsure"]


class LinearModel:
    """A weighted sum of features.

    Args:
        names: the features in the order of the vectors.
        table: the weight of each, and `bias`.
    """

    def __init__(self, names: Sequence[str], table: Mapping[str, float]) -> None:
        self.weights = [float(table.get(name, 0.0)) for name in names]
        self.bias = float(table.get("bias", 0.0))

    def __call__(self, vector: Sequence[float]) -> float:
        return self.bias + float(sum(map(mul, self.weights, vector)))


class TreeEnsemble:
    """A sum of small decision trees over a vector of features.

    Args:
        table: `base`, and for each tree its nodes: feature, threshold, left, right, value (feature -1 for a leaf).
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._base = float(table["base"])
        self._trees = [[tuple(node) for node in tree] for tree in table["trees"]]

    def __call__(self, vector: Sequence[float]) -> float:
        total = self._base
        for tree in self._trees:
            node = tree[0]
            while node[0] >= 0:
                node = tree[node[2] if vector[node[0]] <= node[1] else node[3]]
            total += node[4]
        return total


class ConfidenceLevels:
    """From a probability to a word.

    Args:
        table: `weights` by feature and `bias`, and the least probability of `sure`, of `likely` and of an answer at all.
    """

    def __init__(self, table: Mapping[str, float]) -> None:
        self._log_odds = LinearModel(CONFIDENCE_FEATURES, table)
        self._sure = float(table.get("sure", 0.9))
        self._likely = float(table.get("likely", 0.5))
        self._answered = float(table.get("answered", 0.0))

    def probability(self, vector: Sequence[float]) -> float:
        """How likely an answer with this vector is right."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self._log_odds(vector)))))

    def level(self, probability: float) -> Level:
        """What is said of it; "unsure" where several answers are offered instead of one."""
        if probability >= self._sure:
            return "sure"
        if probability >= self._likely:
            return "likely"
        return "guess" if probability >= self._answered else "unsure"


class Model:
    """All that was learned.

    Args:
        tables: by model: its table; `words` holds all those of a request that no encoder reads, where the others are of one that is.
    """

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self.value = LinearModel(VALUE_FEATURES, tables["value"])
        self.stake: Mapping[str, float] = {kind: -float(none) for kind, none in tables["none"].items()}
        """By kind of value: what must be overcome to leave it without a slot, as log-odds."""
        self.switch = TreeEnsemble(tables["switch"])
        self.entry = LinearModel(ENTRY_FEATURES, tables["entry"])
        self.answer = LinearModel(ANSWER_FEATURES, tables["answer"])
        self.levels = ConfidenceLevels(tables.get("confidence", {}))
        self.words = Model(tables["words"]) if tables.get("words") else self
        """For what is read by words alone: a documented way that says all of a request, literals of code."""


TABLES = ("weights.json",)
"""Files of tables: for requests that are read without an encoder, and with it."""


def shipped() -> Model:
    """What was learned on all development rows, with or without the encoder, as one is in use."""
    return _model(encoder_in_use())


@cache
def _model(with_encoder: bool) -> Model:
    words = _read(TABLES[0])
    return Model(words)


def _read(name: str) -> dict[str, Any]:
    return dict(json.loads(files(__package__).joinpath(name).read_text(encoding="utf-8")))
