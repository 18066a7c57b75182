"""Generated and stored points."""

import csv
import math
import random


def make_blobs(n_points=200, centers=3, spread=0.6, seed=0):
    """Round clouds whose centres lie on a circle of radius 4."""
    rng = random.Random(seed)
    points, labels = [], []
    for i in range(n_points):
        group = i % centers
        angle = 2 * math.pi * group / centers
        points.append((rng.gauss(4 * math.cos(angle), spread), rng.gauss(4 * math.sin(angle), spread)))
        labels.append(group)
    return points, labels


def make_moons(n_points=200, spread=0.05, seed=0):
    """Two interleaving crescents."""
    rng = random.Random(seed)
    points, labels = [], []
    for i in range(n_points):
        group = i % 2
        angle = math.pi * (i // 2) / max(n_points // 2 - 1, 1)
        x, y = (1 - math.cos(angle), 0.4 - math.sin(angle)) if group else (math.cos(angle), math.sin(angle))
        points.append((x + rng.gauss(0, spread), y + rng.gauss(0, spread)))
        labels.append(group)
    return points, labels


def make_stripes(n_points=200, bands=3, spread=0.2, seed=0):
    """Parallel bands, five times as long as they are apart."""
    rng = random.Random(seed)
    points, labels = [], []
    for i in range(n_points):
        group = i % bands
        points.append((rng.uniform(-5, 5), rng.gauss(2 * group, spread)))
        labels.append(group)
    return points, labels


def read_points(path):
    """Rows of numbers from a CSV file without header."""
    with open(path, newline="", encoding="utf-8") as file:
        return [tuple(float(cell) for cell in row) for row in csv.reader(file) if row]


def standardize(points):
    """Each coordinate shifted to mean 0 and scaled to standard deviation 1."""
    columns = list(zip(*points))
    means = [sum(column) / len(column) for column in columns]
    scales = [
        math.sqrt(sum((value - mean) ** 2 for value in column) / len(column)) or 1.0
        for column, mean in zip(columns, means)
    ]
    return [tuple((v - m) / s for v, m, s in zip(point, means, scales)) for point in points]
