"""Decision trees by Gini impurity."""

import json
from collections import Counter


class NotFittedError(RuntimeError):
    """The tree was asked before it was trained."""


def gini(labels):
    return 1 - sum((n / len(labels)) ** 2 for n in Counter(labels).values())


class Tree:
    """A tree of yes-no questions."""

    def __init__(self, max_depth=3, min_rows=1):
        self.max_depth = max_depth
        self.min_rows = min_rows
        self.root = None
        self.rows_seen = 0

    def fit(self, rows, labels):
        self.rows_seen = len(rows)
        self.root = self._grow(rows, labels, 0)
        return self

    def _grow(self, rows, labels, depth):
        if depth >= self.max_depth or len(set(labels)) == 1 or len(rows) <= self.min_rows:
            return {"label": Counter(labels).most_common(1)[0][0], "depth": depth}
        best = None
        for column in range(len(rows[0])):
            for value in sorted({row[column] for row in rows})[1:]:
                left = [label for row, label in zip(rows, labels) if row[column] < value]
                right = [label for row, label in zip(rows, labels) if row[column] >= value]
                cost = (gini(left) * len(left) + gini(right) * len(right)) / len(rows)
                if best is None or cost < best[0]:
                    best = (cost, column, value)
        _, column, value = best
        parts = {True: ([], []), False: ([], [])}
        for row, label in zip(rows, labels):
            side = parts[row[column] < value]
            side[0].append(row)
            side[1].append(label)
        low, high = (self._grow(*parts[side], depth + 1) for side in (True, False))
        return {"column": column, "value": value, "low": low, "high": high}

    def predict(self, row):
        if self.root is None:
            raise NotFittedError("this Tree is not fitted yet; call fit first")
        node = self.root
        while "label" not in node:
            node = node["low"] if row[node["column"]] < node["value"] else node["high"]
        return node["label"]

    def save_summary(self, path):
        with open(path, "w") as file:
            json.dump({"max_depth": self.max_depth, "min_rows": self.min_rows, "rows": self.rows_seen}, file)
