"""Distances between two points."""

import math


def euclidean(a, b):
    return math.dist(a, b)


def manhattan(a, b):
    return sum(abs(x - y) for x, y in zip(a, b))


def chebyshev(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


METRICS = {"euclidean": euclidean, "manhattan": manhattan, "chebyshev": chebyshev}
