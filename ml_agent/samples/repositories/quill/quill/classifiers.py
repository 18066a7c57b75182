"""Linear text classifiers over hashed n-grams."""

import math
import random
from array import array
from collections import Counter

from .text import bucket, ngrams, tokenize, write_json


class _Linear:
    """Two classes; the features of a text are counts in a table of `buckets` cells."""

    kind = ""

    def __init__(self, ngrams=(1, 1), unit="word", lowercase=True, buckets=4096, seed=0):
        self.ngrams = tuple(ngrams)
        self.unit = unit
        self.lowercase = lowercase
        self.weights = array("d", bytes(8 * buckets))
        self.bias = 0.0
        self.seed = seed
        self.classes = ()
        self.n_train = 0
        self.lengths = set()
        self.upper_seen = False

    def features(self, text):
        if self.lowercase:
            text = text.lower()
        self.upper_seen = self.upper_seen or text != text.lower()
        found = Counter()
        for gram in ngrams(tokenize(text, self.unit), *self.ngrams):
            self.lengths.add(len(gram.split(" ")) if self.unit == "word" else (len(gram) + 1) // 2)
            found[bucket(gram, len(self.weights))] += 1
        return found

    def fit(self, texts, labels):
        self.classes = tuple(sorted(set(labels)))
        self.n_train = len(texts)
        rows = [(self.features(text), 1 if label == self.classes[1] else 0) for text, label in zip(texts, labels)]
        self._train(rows)
        return self

    def score(self, found):
        return self.bias + sum(self.weights[cell] * count for cell, count in found.items())

    def predict(self, text):
        return self.classes[1] if self.score(self.features(text)) > 0 else self.classes[0]

    def accuracy(self, texts, labels):
        return sum(self.predict(text) == label for text, label in zip(texts, labels)) / len(labels)

    def summary(self):
        return {
            "classifier": self.kind,
            "ngrams": [min(self.lengths), max(self.lengths)],
            "unit": self.unit,
            "case_kept": self.upper_seen,
            "buckets": len(self.weights),
            "n_train": self.n_train,
            "classes": list(self.classes),
        }

    def write_report(self, path, **extra):
        write_json(path, {**self.summary(), **extra})


class NaiveBayes(_Linear):
    """Multinomial naive Bayes with additive smoothing."""

    kind = "naive-bayes"

    def __init__(self, alpha=1.0, **options):
        super().__init__(**options)
        self.alpha = alpha

    def _train(self, rows):
        tables = ([self.alpha] * len(self.weights), [self.alpha] * len(self.weights))
        sizes = [0, 0]
        for found, label in rows:
            sizes[label] += 1
            for cell, count in found.items():
                tables[label][cell] += count
        totals = [sum(table) for table in tables]
        for cell in range(len(self.weights)):
            self.weights[cell] = math.log(tables[1][cell] / totals[1]) - math.log(tables[0][cell] / totals[0])
        self.bias = math.log(sizes[1] / sizes[0])

    def summary(self):
        return {**super().summary(), "alpha": self.alpha}


class LogisticRegression(_Linear):
    """Logistic regression by stochastic gradient descent."""

    kind = "logreg"

    def __init__(self, eta=0.1, passes=10, **options):
        super().__init__(**options)
        self.eta = eta
        self.passes = passes
        self.passes_done = 0

    def _train(self, rows):
        rng = random.Random(self.seed)
        for _ in range(self.passes):
            rng.shuffle(rows)
            for found, label in rows:
                error = label - 1 / (1 + math.exp(-max(-30.0, min(30.0, self.score(found)))))
                self.bias += self.eta * error
                for cell, count in found.items():
                    self.weights[cell] += self.eta * error * count
            self.passes_done += 1

    def summary(self):
        return {**super().summary(), "eta": self.eta, "passes": self.passes_done}


class AveragedPerceptron(_Linear):
    """The perceptron with averaged weights."""

    kind = "perceptron"

    def __init__(self, passes=10, **options):
        super().__init__(**options)
        self.passes = passes
        self.passes_done = 0
        self.mistakes = 0

    def _train(self, rows):
        rng = random.Random(self.seed)
        sums, step = Counter(), 1
        for _ in range(self.passes):
            rng.shuffle(rows)
            for found, label in rows:
                if (self.score(found) > 0) != bool(label):
                    self.mistakes += 1
                    sign = 1 if label else -1
                    for cell, count in found.items():
                        self.weights[cell] += sign * count
                        sums[cell] += sign * count * step
                step += 1
            self.passes_done += 1
        for cell, total in sums.items():
            self.weights[cell] -= total / step

    def summary(self):
        return {**super().summary(), "passes": self.passes_done, "mistakes": self.mistakes}
