"""How good a grouping is, with and without the truth."""

from collections import Counter
from math import comb

from .distances import METRICS


def silhouette(points, labels, metric="euclidean"):
    """Mean silhouette width, between -1 and 1."""
    distance = METRICS[metric]
    groups = {}
    for point, label in zip(points, labels):
        groups.setdefault(label, []).append(point)
    if len(groups) < 2:
        return 0.0
    total = 0.0
    for point, label in zip(points, labels):
        if len(groups[label]) == 1:
            continue
        inside = sum(distance(point, q) for q in groups[label]) / (len(groups[label]) - 1)
        outside = min(
            sum(distance(point, q) for q in members) / len(members)
            for other, members in groups.items()
            if other != label
        )
        total += (outside - inside) / max(inside, outside)
    return total / len(points)


def adjusted_rand(truth, labels):
    """Agreement with the truth, corrected for chance; 1 is perfect."""
    pairs = comb(len(truth), 2)
    both = sum(comb(n, 2) for n in Counter(zip(truth, labels)).values())
    left = sum(comb(n, 2) for n in Counter(truth).values())
    right = sum(comb(n, 2) for n in Counter(labels).values())
    expected = left * right / pairs
    top = (left + right) / 2
    return 1.0 if top == expected else (both - expected) / (top - expected)
