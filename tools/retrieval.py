"""Full-text retrieval over documentation and code: a tokenizer made for identifiers, and BM25."""

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ml_agent.tools.remember import remembered

_WORD = re.compile(r"[^\W_](?:\w|[.\-](?=\w))*")
_NUMBER = re.compile(r"\d[\d.]*(?:e-?\d+)?", re.IGNORECASE)
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


class Hit(NamedTuple):
    """A document that matches: its position in the corpus, and how well (always above 0)."""

    position: int
    score: float


def tokenize(text: str) -> list[str]:
    """The words of a text in lower case; identifiers are kept and split, plurals become singular.

    `--num-stacks` gives num-stacks, num, stack; `GraphConv` gives graphconv, graph, conv; numbers stay whole.
    """
    return [token for word in _WORD.findall(text) for token in _split_word(word)]


@remembered(50_000)
def _split_word(word: str) -> tuple[str, ...]:
    """What one word gives; a repository says few words often."""
    if _NUMBER.fullmatch(word):
        return (word.lower(),)
    parts = [part for part in re.split(r"[._\-]+", word) if part]
    whole = [word.lower().rstrip("_")] if len(parts) > 1 else []
    return (*whole, *(token for part in parts for token in (singular(part.lower()), *_humps(part))))


def singular(word: str) -> str:
    """A word without its plural ending, by rule of thumb; the same rule is applied to text and query."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "as")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1]


def _humps(word: str) -> list[str]:
    """The parts of a camelCase word; none where it has none, or where it is a name such as ViT."""
    parts = _CAMEL.findall(word)
    if len(parts) < 2 or any(len(part) < 2 and not part.isdigit() for part in parts):
        return []
    return [singular(part.lower()) for part in parts]


SATURATION = 1.5
"""BM25's k1: how fast a repeated word stops counting."""
LENGTH_SHARE = 0.75
"""BM25's b: how much a long document is held against it."""


class Bm25Index:
    """BM25 over tokenized documents, by the documents of each word.

    Okapi's formula punishes a word that most documents hold. Lucene's weight is positive for every word, so that in a
    corpus of three files a match is still a match.

    Args:
        documents: The tokens of each document; any of them, and the whole corpus, may be empty.
    """

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._size = len(documents)
        self._counts: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for position, document in enumerate(documents):
            for word, count in Counter(document).items():
                self._counts[word].append((position, count))
        lengths = [len(document) for document in documents]
        mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
        self._dampings = [SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / mean) for length in lengths]

    def top(self, query: Sequence[str], k: int) -> list[Hit]:
        """The best `k` documents that hold at least one word of the query, best first; ties in corpus order."""
        scores: dict[int, float] = defaultdict(float)
        for word in query:
            found = self._counts.get(word, ())
            rarity = math.log(1 + (self._size - len(found) + 0.5) / (len(found) + 0.5))
            for position, count in found:
                scores[position] += rarity * (count * (SATURATION + 1) / (count + self._dampings[position]))
        hits = (Hit(position, score) for position, score in scores.items())
        return heapq.nsmallest(k, hits, key=lambda hit: (-hit.score, hit.position))
