"""Ranking repositories by what they say of themselves. Nothing here knows how popular a repository is."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ml_agent.tools.candidates import Candidate
from ml_agent.tools.knowledge import squash
from ml_agent.tools.query import Query, name_keys, stems

SATURATION = 0.8
"""BM25's k1: how fast a repeated term stops counting."""
NAME_BONUS = 2.5
"""What a repository's own name, said in the query, is worth, in units of the rarest term."""
WORD_AS_NAME = 0.5
"""A plain word that is a repository's name, against something that looks like a name."""
_AFFIX = re.compile(r"^(pytorch|tensorflow|open|the|py|tf)|(pytorch|tensorflow|torch|library|lib|py|tf|js|jl)$")


class Field(NamedTuple):
    """A part of what a repository says of itself."""

    weight: float
    length_share: float
    """BM25's b: how much a long text is held against it."""


FIELDS = {
    "name": Field(1.5, 0.6),
    "description": Field(1.0, 0.5),
    "topics": Field(1.0, 0.3),
    "readme": Field(0.3, 0.6),
}


class Ranker:
    """BM25 over several fields (BM25F), phrase by phrase, with a bonus for a repository's own name.

    rank-bm25 knows neither fields nor weighted phrases, and its inverse document frequency turns negative on the few
    candidates of a search.
    """

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.candidates = tuple(candidates)
        self._names = [_own_names(candidate) for candidate in self.candidates]
        self._presences = _presences([_terms(candidate) for candidate in self.candidates])

    def scores(self, query: Query) -> list[float]:
        """One score a candidate, 0 where nothing fits."""
        scores = self._name_scores(query)
        for phrase, weight in query.phrases.items():
            total = sum(map(self.rarity, phrase))
            said: dict[int, float] = defaultdict(float)
            for term in phrase:
                for index, presence in self._presences.get(term, {}).items():
                    said[index] += self.rarity(term) * presence
            for index, share in said.items():
                # Squared: half of a phrase ("neural networks" of "graph neural networks") says little.
                scores[index] += weight * total / math.sqrt(len(phrase)) * (share / total) ** 2
        return scores

    def top(self, query: Query, limit: int) -> list[Candidate]:
        """The best candidates that fit at all, best first, with their scores."""
        scored = sorted(zip(self.scores(query), self.candidates, strict=True), key=lambda pair: -pair[0])
        return [
            msgspec.structs.replace(candidate, score=round(score, 4))
            for score, candidate in scored[:limit]
            if score > 0
        ]

    def rarity(self, term: str) -> float:
        """Inverse document frequency, never negative."""
        count, total = len(self._presences.get(term, ())), len(self.candidates)
        return math.log(1 + (total - count + 0.5) / (count + 0.5))

    def _name_scores(self, query: Query) -> list[float]:
        keys = self._name_keys(query)
        unit = NAME_BONUS * self.rarity("")
        return [unit * max(keys.get(own, 0.0) * share for own, share in names.items()) for names in self._names]

    def _name_keys(self, query: Query) -> dict[str, float]:
        """What a repository may be called that the query speaks of, and how surely."""
        keys: dict[str, float] = {}
        for name in query.names:
            for key, weight in name_keys(name).items():
                keys[key] = max(weight, keys.get(key, 0.0))
        for word in query.words:
            # A word that many repositories use of themselves is a word, not a name.
            oddness = min((self.rarity(stem) / self.rarity("") for stem in stems(word)), default=0.0)
            if len(word) > 3:
                keys.setdefault(squash(word), WORD_AS_NAME * oddness**4)
        return keys


def _terms(candidate: Candidate) -> dict[str, Counter[str]]:
    texts = {
        "name": candidate.full_name.rsplit("/", 1)[-1],
        "description": candidate.description,
        "topics": " ".join(candidate.topics),
        "readme": candidate.readme_head,
    }
    return {field: Counter(stems(text)) for field, text in texts.items()}


def _presences(texts: Sequence[dict[str, Counter[str]]]) -> dict[str, dict[int, float]]:
    """How much each candidate speaks of each term, from 0 to below 1 (BM25F's saturated frequency)."""
    means = {name: _mean([text[name].total() for text in texts]) for name in FIELDS}
    presences: dict[str, dict[int, float]] = defaultdict(dict)
    for index, text in enumerate(texts):
        frequencies: dict[str, float] = defaultdict(float)
        for name, field in FIELDS.items():
            length = 1 - field.length_share + field.length_share * text[name].total() / means[name]
            for term, count in text[name].items():
                frequencies[term] += field.weight * count / length
        for term, frequency in frequencies.items():
            presences[term][index] = frequency / (frequency + SATURATION)
    return dict(presences)


def _own_names(candidate: Candidate) -> dict[str, float]:
    """What a repository may be called, squashed, and how surely."""
    name = squash(candidate.full_name.rsplit("/", 1)[-1])
    names = {name: 1.0}
    bare = _AFFIX.sub("", name)
    if len(bare) > 2:
        names.setdefault(bare, 0.7)
    return names


def _mean(lengths: Sequence[int]) -> float:
    """Mean over those that say anything: most repositories have no topics, which must not count against the others."""
    filled = [length for length in lengths if length]
    return sum(filled) / len(filled) if filled else 1.0
