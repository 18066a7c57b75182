"""Full-text retrieval over documentation and code: a tokenizer made for identifiers, and BM25."""

import heapq
import re
from collections import defaultdict
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


class Bm25Index:
    """BM25 over tokenized documents, by rank-bm25.

    Okapi's weight of a word is negative where most documents hold it, which in a corpus of three files most do; that of BM25+ never
    is. Without its lower bound (`delta`) it ranks as Okapi's does.

    Args:
        documents: The tokens of each document; any of them, and the whole corpus, may be empty.
    """

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        from rank_bm25 import BM25Plus  # numpy takes a tenth of a second: only where something is ranked

        self._holding: dict[str, list[int]] = defaultdict(list)
        for position, document in enumerate(documents):
            for word in dict.fromkeys(document):
                self._holding[word].append(position)
        # The library divides by the mean length.
        self._scorer = BM25Plus(documents, delta=0) if self._holding else None

    def top(self, query: Sequence[str], k: int) -> list[Hit]:
        """The best `k` documents that hold at least one word of the query, best first; ties in corpus order."""
        positions = sorted({position for word in query for position in self._holding.get(word, ())})
        if self._scorer is None or not positions:
            return []
        hits = map(Hit, positions, self._scorer.get_batch_scores(query, positions))
        return heapq.nsmallest(k, hits, key=lambda hit: (-hit.score, hit.position))
