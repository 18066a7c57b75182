"""k-means and k-medoids."""

import random

from .distances import METRICS
from .report import Reporting


class _Partition(Reporting):
    """Assigns points to the nearest centre and moves the centres, in turn; the best of several starts is kept."""

    algorithm = ""

    def __init__(self, k=3, metric="euclidean", n_init=3, max_iter=50, seed=0):
        self.k = k
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.seed = seed
        self.centers = []
        self.costs = []
        self.n_points = 0

    def fit(self, points):
        """Labels of the points under the best of `n_init` starts."""
        rng = random.Random(self.seed)
        self.n_points = len(points)
        self.costs = []
        best = None
        for _ in range(self.n_init):
            centers = self._start(points, rng)
            for _ in range(self.max_iter):
                moved = self._move(points, self._assign(points, centers), centers)
                if moved == centers:
                    break
                centers = moved
            labels = self._assign(points, centers)
            cost = sum(METRICS[self.metric](p, centers[label]) for p, label in zip(points, labels))
            self.costs.append(cost)
            if best is None or cost < best[0]:
                best = (cost, centers, labels)
        self.centers = best[1]
        return best[2]

    def _start(self, points, rng):
        """k-means++ seeding: far points are likelier to become centres."""
        distance = METRICS[self.metric]
        centers = [rng.choice(points)]
        while len(centers) < self.k:
            weights = [min(distance(p, c) for c in centers) ** 2 for p in points]
            centers.append(rng.choices(points, weights)[0])
        return centers

    def _assign(self, points, centers):
        distance = METRICS[self.metric]
        return [min(range(len(centers)), key=lambda i, p=p: distance(p, centers[i])) for p in points]

    def _move(self, points, labels, centers):
        moved = []
        for i, center in enumerate(centers):
            members = [p for p, label in zip(points, labels) if label == i]
            moved.append(self._center(members) if members else center)
        return moved

    def summary(self):
        return {
            "algorithm": self.algorithm,
            "metric": self.metric,
            "n_clusters": len(self.centers),
            "n_points": self.n_points,
            "restarts": len(self.costs),
            "cost": min(self.costs),
        }


class KMeans(_Partition):
    """Centres are means."""

    algorithm = "kmeans"

    def _center(self, members):
        return tuple(sum(column) / len(members) for column in zip(*members))


class KMedoids(_Partition):
    """Centres are points of the data, which makes any metric meaningful."""

    algorithm = "kmedoids"

    def _center(self, members):
        distance = METRICS[self.metric]
        return min(members, key=lambda p: sum(distance(p, q) for q in members))
