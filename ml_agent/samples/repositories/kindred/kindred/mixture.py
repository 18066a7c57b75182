"""Mixtures of Gaussians in the plane, fitted by expectation-maximisation."""

import math
import random

from .report import Reporting

COVARIANCES = ("spherical", "diagonal", "full")
FLOOR = 1e-3


class GaussianMixture(Reporting):
    """A mixture of two-dimensional Gaussians; each covariance is kept as (variance x, variance y, covariance)."""

    def __init__(self, n_components=2, covariance="full", max_iter=100, tol=1e-3, seed=0):
        if covariance not in COVARIANCES:
            raise ValueError(f"covariance must be one of {', '.join(COVARIANCES)}")
        self.n_components = n_components
        self.covariance = covariance
        self.max_iter = max_iter
        self.tol = tol
        self.seed = seed
        self.weights, self.means, self.covariances = [], [], []
        self.history = []
        self.n_points = 0

    def fit(self, points):
        """Run the algorithm until the mean log-likelihood improves by less than `tol`."""
        self.n_points = len(points)
        self.history = []
        self._start(points)
        for _ in range(self.max_iter):
            shares, likelihood = self._expect(points)
            self._maximise(points, shares)
            self.history.append(likelihood)
            if len(self.history) > 1 and abs(self.history[-1] - self.history[-2]) < self.tol:
                break
        return self

    def predict(self, points):
        """The likeliest component of each point."""
        shares, _ = self._expect(points)
        return [row.index(max(row)) for row in shares]

    def bic(self, points):
        """Bayesian information criterion; lower is better."""
        _, likelihood = self._expect(points)
        each = {"spherical": 1, "diagonal": 2, "full": 3}[self.covariance]
        free = len(self.weights) * (2 + each) + len(self.weights) - 1
        return free * math.log(len(points)) - 2 * likelihood * len(points)

    def _start(self, points):
        rng = random.Random(self.seed)
        self.means = [rng.choice(points)]
        while len(self.means) < self.n_components:
            far = [min(math.dist(p, m) for m in self.means) ** 2 for p in points]
            self.means.append(rng.choices(points, far)[0])
        self.covariances = [(1.0, 1.0, 0.0)] * self.n_components
        self.weights = [1 / self.n_components] * self.n_components

    def _expect(self, points):
        shares, total = [], 0.0
        for point in points:
            logs = [
                math.log(weight) + log_density(point, mean, covariance)
                for weight, mean, covariance in zip(self.weights, self.means, self.covariances)
            ]
            top = max(logs)
            parts = [math.exp(value - top) for value in logs]
            norm = sum(parts)
            total += top + math.log(norm)
            shares.append([part / norm for part in parts])
        return shares, total / len(points)

    def _maximise(self, points, shares):
        for i in range(len(self.weights)):
            column = [row[i] for row in shares]
            mass = max(sum(column), 1e-9)
            mean = tuple(sum(s * p[axis] for s, p in zip(column, points)) / mass for axis in (0, 1))
            self.weights[i] = mass / len(points)
            self.means[i] = mean
            self.covariances[i] = self._spread(points, column, mean, mass)

    def _spread(self, points, column, mean, mass):
        xx = sum(s * (p[0] - mean[0]) ** 2 for s, p in zip(column, points)) / mass + FLOOR
        yy = sum(s * (p[1] - mean[1]) ** 2 for s, p in zip(column, points)) / mass + FLOOR
        if self.covariance == "spherical":
            return ((xx + yy) / 2, (xx + yy) / 2, 0.0)
        if self.covariance == "diagonal":
            return (xx, yy, 0.0)
        xy = sum(s * (p[0] - mean[0]) * (p[1] - mean[1]) for s, p in zip(column, points)) / mass
        return (xx, yy, xy)

    def summary(self):
        return {
            "algorithm": "gaussian mixture",
            "n_components": len(self.weights),
            "covariance": self.covariance,
            "n_points": self.n_points,
            "iterations": len(self.history),
            "max_iter": self.max_iter,
            "tol": self.tol,
            "log_likelihood": self.history[-1],
        }


def log_density(point, mean, covariance):
    xx, yy, xy = covariance
    determinant = max(xx * yy - xy * xy, 1e-12)
    dx, dy = point[0] - mean[0], point[1] - mean[1]
    square = (yy * dx * dx - 2 * xy * dx * dy + xx * dy * dy) / determinant
    return -0.5 * square - math.log(2 * math.pi) - 0.5 * math.log(determinant)
