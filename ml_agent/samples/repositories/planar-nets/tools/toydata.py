"""Two-class toy problems in the plane."""

import math
import random


def moons(n_points, jitter, rng):
    half = n_points // 2
    points, labels = [], []
    for i in range(n_points):
        angle = math.pi * rng.random()
        if i < half:
            x, y, label = math.cos(angle), math.sin(angle), 0
        else:
            x, y, label = 1 - math.cos(angle), 0.5 - math.sin(angle), 1
        points.append((x + rng.gauss(0, jitter), y + rng.gauss(0, jitter)))
        labels.append(label)
    return points, labels


def rings(n_points, jitter, rng):
    points, labels = [], []
    for i in range(n_points):
        label = i % 2
        radius = 1.0 if label else 0.45
        angle = 2 * math.pi * rng.random()
        points.append(
            (radius * math.cos(angle) + rng.gauss(0, jitter), radius * math.sin(angle) + rng.gauss(0, jitter))
        )
        labels.append(label)
    return points, labels


def spirals(n_points, jitter, rng):
    points, labels = [], []
    for i in range(n_points):
        label = i % 2
        turn = rng.random()
        angle = 3 * math.pi * turn + math.pi * label
        radius = 0.1 + 0.9 * turn
        points.append(
            (radius * math.cos(angle) + rng.gauss(0, jitter), radius * math.sin(angle) + rng.gauss(0, jitter))
        )
        labels.append(label)
    return points, labels


def xor(n_points, jitter, rng):
    points, labels = [], []
    for i in range(n_points):
        corner = i % 4
        x, y = (corner & 1) * 2 - 1, (corner >> 1) * 2 - 1
        points.append((0.6 * x + rng.gauss(0, jitter + 0.05), 0.6 * y + rng.gauss(0, jitter + 0.05)))
        labels.append(1 if x * y < 0 else 0)
    return points, labels


PROBLEMS = {"moons": moons, "rings": rings, "spirals": spirals, "xor": xor}


class ToyData:
    """Points of one toy problem, split into a training and a validation part."""

    def __init__(self, name, n_points, jitter, val_frac, seed):
        self.name = name
        self.jitter = jitter
        self.seed = seed
        rng = random.Random(seed)
        points, labels = PROBLEMS[name](n_points, jitter, rng)
        rows = list(zip(points, labels))
        rng.shuffle(rows)
        held_out = round(len(rows) * val_frac)
        self.validation = rows[:held_out]
        self.training = rows[held_out:]

    def describe(self):
        total = len(self.training) + len(self.validation)
        return {
            "dataset": self.name,
            "n_points": total,
            "jitter": self.jitter,
            "validation_share": round(len(self.validation) / total, 4),
            "seed": self.seed,
        }
