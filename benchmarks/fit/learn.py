"""Fits the tables: a conditional choice among candidates, and small trees."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]
from sklearn.ensemble import GradientBoostingClassifier  # type: ignore[import-untyped]

_STEPS = 60
VALUE_PENALTY = 5.0
"""Of the weights of values in slots."""


class Group(NamedTuple):
    """Candidates of which one is right, or none."""

    vectors: list[list[float]]
    right: list[int]
    """1 for each that is right."""
    kind: int = 0
    """Which of the "none" alternatives it has."""
    weight: float = 1.0
    repository: str = ""


def choice(groups: Sequence[Group], kinds: int, penalty: float) -> tuple[np.ndarray, float, np.ndarray]:
    """Weights under which the right candidate of each group is likeliest, "none of them" being a candidate of each kind.

    Returns: weights by feature, bias, and the score of "none" by kind.
    """
    return fit_arrays(arrays_of(groups), kinds, penalty)


class Arrays(NamedTuple):
    """Groups as arrays."""

    vectors: np.ndarray
    """(candidates, features), the candidates of one group after the other."""
    right: np.ndarray
    sizes: np.ndarray
    """(groups,): how many candidates each has."""
    kind: np.ndarray
    weight: np.ndarray


def arrays_of(groups: Sequence[Group]) -> Arrays:
    """Groups as arrays."""
    return Arrays(
        np.array([vector for group in groups for vector in group.vectors], float),
        np.array([one for group in groups for one in group.right], float),
        np.array([len(group.vectors) for group in groups]),
        np.array([group.kind for group in groups]),
        np.array([group.weight for group in groups]),
    )


def fit_arrays(given: Arrays, kinds: int, penalty: float) -> tuple[np.ndarray, float, np.ndarray]:
    """As `choice`, of arrays."""
    vectors, right, sizes, kind, weight = given
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    member = np.repeat(np.arange(len(sizes)), sizes)
    mean, spread = vectors.mean(0), vectors.std(0) + 1e-6
    scaled = (vectors - mean) / spread
    count = scaled.shape[1]
    total = np.add.reduceat(right, starts)
    target = right / np.maximum(1, total)[member]
    none = (total == 0).astype(float)

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        scores, idle = scaled @ point[:count], point[count + kind]
        top = np.maximum(np.maximum.reduceat(scores, starts), idle)
        powers, rest = np.exp(scores - top[member]), np.exp(idle - top)
        whole = np.add.reduceat(powers, starts) + rest
        log = np.log(whole) + top
        value = -(weight[member] * target * (scores - log[member])).sum() - (weight * none * (idle - log)).sum()
        slope = np.zeros_like(point)
        slope[:count] = scaled.T @ (weight[member] * (powers / whole[member] - target)) + penalty * point[:count]
        np.add.at(slope, count + kind, weight * (rest / whole - none))
        return value + 0.5 * penalty * float((point[:count] ** 2).sum()), slope

    found = minimize(loss, np.zeros(count + kinds), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x
    return found[:count] / spread, float(-(found[:count] * mean / spread).sum()), found[count:]


def trees(vectors: Sequence[Sequence[float]], right: Sequence[int], seed: int) -> dict[str, Any]:
    """Small boosted trees as a table."""
    model = GradientBoostingClassifier(
        n_estimators=60, max_depth=2, learning_rate=0.1, min_samples_leaf=8, subsample=0.7, max_features=0.4, random_state=seed
    )  # fmt: skip
    model.fit(np.array(vectors), np.array(right))
    share = float(np.mean(right))
    table = []
    for (tree,) in model.estimators_:
        nodes = tree.tree_
        table.append(
            [
                [
                    int(nodes.feature[n]) if nodes.children_left[n] >= 0 else -1,
                    round(float(nodes.threshold[n]), 5),
                    int(nodes.children_left[n]),
                    int(nodes.children_right[n]),
                    round(float(nodes.value[n][0][0]) * 0.1, 5),
                ]
                for n in range(nodes.node_count)
            ]
        )
    return {"base": round(float(np.log(share / (1 - share))), 5), "trees": table}
