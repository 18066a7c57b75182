"""A network with one hidden layer."""

import json
import math
import random


class Network:
    """Trained one row at a time; only the output layer learns."""

    def __init__(self, inputs, hidden=4, classes=3, seed=0):
        rng = random.Random(seed)
        self.first = [[rng.gauss(0, 1) for _ in range(inputs)] for _ in range(hidden)]
        self.second = [[0.0] * hidden for _ in range(classes)]
        self.epochs = 0

    def _hidden(self, row):
        if len(row) != len(self.first[0]):
            raise ValueError(f"the network has {len(self.first[0])} inputs, the row {len(row)} values")
        return [math.tanh(sum(w * v for w, v in zip(unit, row))) for unit in self.first]

    def fit(self, rows, labels, epochs=5, rate=0.1):
        for _ in range(epochs):
            for row, label in zip(rows, labels):
                hidden = self._hidden(row)
                for i, unit in enumerate(self.second):
                    error = (i == label) - sum(w * h for w, h in zip(unit, hidden))
                    for j, h in enumerate(hidden):
                        unit[j] += rate * error * h
            self.epochs += 1
        return self

    def save_summary(self, path):
        with open(path, "w") as file:
            json.dump({"inputs": len(self.first[0]), "hidden": len(self.first), "epochs": self.epochs}, file)
