"""The river's level."""

import csv
import json


def read(path):
    """Levels in order."""
    with open(path, newline="") as file:
        return [float(level) for _, level in csv.reader(file)]


class Forecaster:
    """Mean of the last levels."""

    def __init__(self, window=4):
        self.window = window
        self.forecast = None

    def fit(self, levels):
        self.forecast = sum(levels[-self.window :]) / self.window

    def report(self, path):
        with open(path, "w") as file:
            json.dump({"window": self.window, "forecast": round(self.forecast, 3)}, file)


class Smoother:
    """Exponential smoothing."""

    def __init__(self, factor=0.5):
        self.factor = factor
        self.rounds = 0

    def smooth(self, levels, rounds=1):
        if not 0 < self.factor < 1:
            raise ValueError(f"factor must lie between 0 and 1, got {self.factor}")
        for _ in range(rounds):
            for i in range(1, len(levels)):
                levels[i] = self.factor * levels[i - 1] + (1 - self.factor) * levels[i]
            self.rounds += 1
        return levels

    def report(self, path):
        with open(path, "w") as file:
            json.dump({"factor": self.factor, "rounds": self.rounds}, file)
