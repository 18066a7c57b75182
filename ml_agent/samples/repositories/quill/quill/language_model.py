"""n-gram language models with three kinds of smoothing."""

import math
import random
from collections import Counter, defaultdict
from pathlib import Path

from .text import join, tokenize, write_json

SMOOTHINGS = ("add-k", "witten-bell", "kneser-ney")
DISCOUNT = 0.75


class LanguageModel:
    """Predicts a token from the `order - 1` tokens before it; shorter contexts are interpolated."""

    def __init__(self, order=3, unit="char", smoothing="witten-bell", k=0.1):
        if smoothing not in SMOOTHINGS:
            raise ValueError(f"smoothing must be one of {', '.join(SMOOTHINGS)}")
        self.order = order
        self.unit = unit
        self.smoothing = smoothing
        self.k = k
        self.counts = [defaultdict(Counter) for _ in range(order)]
        self.vocabulary = []
        self.trained_on = 0
        self.source = None
        self.generated = []

    def train(self, path):
        """Count the n-grams of a text file."""
        self.source = Path(path).name
        return self.train_tokens(tokenize(Path(path).read_text(encoding="utf-8"), self.unit))

    def train_tokens(self, tokens):
        self.trained_on += len(tokens)
        for end in range(len(tokens)):
            for size in range(self.order):
                if end - size >= 0:
                    self.counts[size][tuple(tokens[end - size : end])][tokens[end]] += 1
        self.vocabulary = sorted(self.counts[0][()])
        return self

    def distribution(self, context):
        """Probability of every token of the vocabulary after a context."""
        context = tuple(context[-(self.order - 1) :]) if self.order > 1 else ()
        lower = dict.fromkeys(self.vocabulary, 1 / len(self.vocabulary))
        for size in range(self.order):
            if size > len(context):
                break
            seen = self.counts[size].get(context[len(context) - size :])
            if seen:
                lower = self._smooth(seen, lower)
        return lower

    def _smooth(self, seen, lower):
        total, kinds = sum(seen.values()), len(seen)
        if self.smoothing == "add-k":
            return {t: (seen[t] + self.k * len(lower) * p) / (total + self.k * len(lower)) for t, p in lower.items()}
        if self.smoothing == "witten-bell":
            return {t: (seen[t] + kinds * p) / (total + kinds) for t, p in lower.items()}
        return {t: (max(seen[t] - DISCOUNT, 0) + DISCOUNT * kinds * p) / total for t, p in lower.items()}

    def perplexity(self, tokens):
        known = set(self.vocabulary)
        logs = [
            math.log(self.distribution(tokens[max(0, i - self.order + 1) : i])[token])
            for i, token in enumerate(tokens)
            if token in known
        ]
        return math.exp(-sum(logs) / len(logs))

    def generate(self, prompt="", length=100, temperature=1.0, seed=0):
        """Continue a prompt by `length` tokens."""
        rng = random.Random(seed)
        tokens = tokenize(prompt, self.unit)
        start = len(tokens)
        for _ in range(length):
            chances = self.distribution(tokens)
            weights = [chances[token] ** (1 / temperature) for token in self.vocabulary]
            tokens.append(rng.choices(self.vocabulary, weights)[0])
        text = join(tokens, self.unit)
        self.generated.append(
            {"prompt": prompt, "new_tokens": len(tokens) - start, "temperature": temperature, "text": text}
        )
        return text

    def summary(self):
        return {
            "source": self.source,
            "order": 1 + max(len(context) for context in self.counts[-1]),
            "unit": self.unit,
            "smoothing": self.smoothing,
            "k": self.k if self.smoothing == "add-k" else None,
            "trained_on": self.trained_on,
            "vocabulary": len(self.vocabulary),
            "generated": self.generated,
        }

    def write_report(self, path, **extra):
        write_json(path, {**self.summary(), **extra})
