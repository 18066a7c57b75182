"""A multi-layer perceptron with one logistic output unit."""

import json
import math
import random
from pathlib import Path


def _sigmoid(value):
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    grown = math.exp(value)
    return grown / (1.0 + grown)


# name -> (function, derivative in terms of the function's value)
ACTIVATIONS = {
    "relu": (lambda v: v if v > 0 else 0.0, lambda a: 1.0 if a > 0 else 0.0),
    "tanh": (math.tanh, lambda a: 1.0 - a * a),
    "sigmoid": (_sigmoid, lambda a: a * (1.0 - a)),
}


class Perceptron:
    """Dense layers; parameters are kept as `weights[layer][unit][input]`, the bias last."""

    def __init__(self, units, activation, seed=0, inputs=2):
        rng = random.Random(seed)
        self.activation = activation
        self.weights = []
        width = inputs
        for size in [*units, 1]:
            scale = math.sqrt(2.0 / (width + size))
            self.weights.append([[rng.gauss(0, scale) for _ in range(width)] + [0.0] for _ in range(size)])
            width = size

    @property
    def units(self):
        return [len(layer) for layer in self.weights[:-1]]

    def forward(self, point):
        """Values of every layer, the input first, the probability of class 1 last."""
        function, _ = ACTIVATIONS[self.activation]
        values = [list(point)]
        for depth, layer in enumerate(self.weights):
            last = depth == len(self.weights) - 1
            inputs = values[-1]
            row = []
            for unit in layer:
                total = unit[-1]
                for weight, value in zip(unit, inputs):
                    total += weight * value
                row.append(_sigmoid(total) if last else function(total))
            values.append(row)
        return values

    def predict(self, point):
        return self.forward(point)[-1][0]

    def zero_gradients(self):
        return [[[0.0] * len(unit) for unit in layer] for layer in self.weights]

    def accumulate(self, gradients, point, label):
        """Add the gradient of the cross entropy at one point; returns the loss there."""
        _, derivative = ACTIVATIONS[self.activation]
        values = self.forward(point)
        probability = values[-1][0]
        deltas = [probability - label]
        for depth in range(len(self.weights) - 1, -1, -1):
            inputs = values[depth]
            below = [0.0] * len(inputs)
            for unit, delta, store in zip(self.weights[depth], deltas, gradients[depth]):
                for i, value in enumerate(inputs):
                    store[i] += delta * value
                    below[i] += delta * unit[i]
                store[-1] += delta
            deltas = [b * derivative(v) for b, v in zip(below, inputs)] if depth else []
        return cross_entropy(probability, label)

    def save(self, path):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(json.dumps({"activation": self.activation, "weights": self.weights}), encoding="utf-8")

    @classmethod
    def load(cls, path):
        stored = json.loads(Path(path).read_text(encoding="utf-8"))
        model = cls([], stored["activation"])
        model.weights = stored["weights"]
        return model


def cross_entropy(probability, label):
    probability = min(max(probability, 1e-9), 1 - 1e-9)
    return -math.log(probability if label else 1 - probability)


def evaluate(predict, rows):
    """Mean cross entropy and accuracy."""
    if not rows:
        return 0.0, 0.0
    loss = correct = 0.0
    for point, label in rows:
        probability = predict(point)
        loss += cross_entropy(probability, label)
        correct += (probability >= 0.5) == bool(label)
    return loss / len(rows), correct / len(rows)
