"""Counts over texts."""

import re
from collections import Counter
from pathlib import Path


class Corpus:
    """Texts by file name."""

    def __init__(self, texts, lower=True):
        self.texts = {name: re.findall(r"[a-zäöüß]+", text.lower() if lower else text) for name, text in texts.items()}

    @classmethod
    def from_folder(cls, folder, pattern="*.txt", lower=True):
        """All files of a folder that fit a pattern, in order of their names."""
        return cls({path.name: path.read_text() for path in sorted(Path(folder).glob(pattern))}, lower)

    def vocabulary(self, min_count=1):
        """Words and how often they occur, the most frequent first, then by the alphabet."""
        counts = Counter(word for words in self.texts.values() for word in words)
        return sorted(((w, n) for w, n in counts.items() if n >= min_count), key=lambda pair: (-pair[1], pair[0]))

    def pairs(self, window=2):
        """How often two words stand within so many words of each other, by sorted pair."""
        counts = Counter()
        for words in self.texts.values():
            for n, word in enumerate(words):
                for other in words[n + 1 : n + 1 + window]:
                    if other != word:
                        counts[tuple(sorted((word, other)))] += 1
        return counts

    def lengths(self):
        """Words in each file."""
        return {name: len(words) for name, words in self.texts.items()}
