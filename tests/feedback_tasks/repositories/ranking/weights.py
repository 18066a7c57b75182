"""Weights of terms by their rank."""

import json


class Weights:
    """A power law."""

    def __init__(self, power=1, terms=10):
        self.power = power
        self.terms = terms
        self.values = []

    def scale(self):
        self.values = [(rank + 1) ** -self.power for rank in range(self.terms)]

    def save(self, path):
        with open(path, "w") as file:
            json.dump({"power": self.power, "terms": self.terms, "last": self.values[-1]}, file)
