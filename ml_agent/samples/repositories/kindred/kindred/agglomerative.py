"""Bottom-up hierarchical clustering by the Lance-Williams update."""

from .distances import METRICS
from .report import Reporting

LINKAGES = ("single", "complete", "average")


class Agglomerative(Reporting):
    """Merges the two nearest groups until `k` are left."""

    def __init__(self, k=2, linkage="average", metric="euclidean"):
        if linkage not in LINKAGES:
            raise ValueError(f"linkage must be one of {', '.join(LINKAGES)}")
        self.k = k
        self.linkage = linkage
        self.metric = metric
        self.merges = []
        self.groups = {}
        self.n_points = 0

    def fit(self, points):
        """Labels of the points."""
        distance = METRICS[self.metric]
        self.n_points = len(points)
        self.groups = {i: [i] for i in range(len(points))}
        self.merges = []
        table = {
            i: {j: distance(points[i], points[j]) for j in range(len(points)) if j != i} for i in range(len(points))
        }
        while len(self.groups) > self.k:
            first = min(table, key=lambda i: min(table[i].values()))
            second = min(table[first], key=table[first].get)
            self.merges.append(table[first][second])
            self._merge(table, first, second)
        labels = [0] * len(points)
        for label, members in enumerate(self.groups.values()):
            for member in members:
                labels[member] = label
        return labels

    def _merge(self, table, first, second):
        sizes = len(self.groups[first]), len(self.groups[second])
        for other in table:
            if other in (first, second):
                continue
            joined = self._between(table[first][other], table[second][other], sizes)
            table[first][other] = table[other][first] = joined
            del table[other][second]
        del table[second]
        del table[first][second]
        self.groups[first] += self.groups.pop(second)

    def _between(self, a, b, sizes):
        if self.linkage == "single":
            return min(a, b)
        if self.linkage == "complete":
            return max(a, b)
        return (a * sizes[0] + b * sizes[1]) / sum(sizes)

    def summary(self):
        return {
            "algorithm": "agglomerative",
            "linkage": self.linkage,
            "metric": self.metric,
            "n_clusters": len(self.groups),
            "n_points": self.n_points,
            "merges": len(self.merges),
            "last_merge": self.merges[-1] if self.merges else 0.0,
        }
