"""First-order optimisers over nested lists of parameters."""

import math


class Optimizer:
    """Plain gradient descent; the others change `step`."""

    def __init__(self, lr, weight_decay=0.0):
        self.lr = lr
        self.weight_decay = weight_decay
        self.updates = 0
        self.memory = {}

    @property
    def name(self):
        return type(self).__name__.lower()

    def step(self, key, gradient):
        return self.lr * gradient

    def apply(self, weights, gradients, scale):
        self.updates += 1
        for depth, layer in enumerate(weights):
            for row, unit in enumerate(layer):
                store = gradients[depth][row]
                for i, weight in enumerate(unit):
                    gradient = store[i] * scale + self.weight_decay * weight
                    unit[i] = weight - self.step((depth, row, i), gradient)


class SGD(Optimizer):
    pass


class Momentum(Optimizer):
    def step(self, key, gradient):
        self.memory[key] = 0.9 * self.memory.get(key, 0.0) + gradient
        return self.lr * self.memory[key]


class RMSprop(Optimizer):
    def step(self, key, gradient):
        self.memory[key] = 0.9 * self.memory.get(key, 0.0) + 0.1 * gradient * gradient
        return self.lr * gradient / (math.sqrt(self.memory[key]) + 1e-8)


class Adam(Optimizer):
    def step(self, key, gradient):
        first, second = self.memory.get(key, (0.0, 0.0))
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient * gradient
        self.memory[key] = (first, second)
        mean = first / (1 - 0.9**self.updates)
        variance = second / (1 - 0.999**self.updates)
        return self.lr * mean / (math.sqrt(variance) + 1e-8)


OPTIMIZERS = {"sgd": SGD, "momentum": Momentum, "rmsprop": RMSprop, "adam": Adam}
