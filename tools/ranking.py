"""Ranking repositories by what they say of themselves: BM25 over name, description, topics and README head."""

import math
from collections.abc import Sequence

import msgspec

from ml_agent.tools.candidates import Candidate
from ml_agent.tools.query import Query, squash, stems
from ml_agent.tools.retrieval import Bm25Index

WORDS, NAMES, README = 1.0, 1.5, 1.0
"""What words of the sentence, its names, and the README head count; a field's own words count as below."""
FIELDS = (1.0, 0.5, 0.3)
"""Of the strongest field and of those behind it."""
OWN_NAME = 0.8
"""What a repository's own name, said in the query, adds, in units of the best score."""
ARCHIVED, FORKED = 0.9, 0.8
"""What is left of the score of a repository that nobody keeps, and of a copy."""
KNOWN = 0.1
"""What ten times as many stars add: between two that fit alike, the one that more people use."""
_SAID = 3
"""Reasons that are told of a candidate."""


class Ranker:
    """Ready to order the same repositories for several queries."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.candidates = tuple(candidates)
        self._heads = Bm25Index.of([_head(one) for one in candidates])
        self._readmes = Bm25Index.of([stems(one.readme_head) for one in candidates])

    def top(self, query: Query, limit: int) -> list[Candidate]:
        """The best candidates that fit at all, best first, with their scores and what speaks for them."""
        parts = [(WORDS, stems(" ".join(query.words))), (NAMES, stems(" ".join(query.names)))]
        parts += [(weight, stems(" ".join(field))) for weight, field in zip(FIELDS, query.fields, strict=False)]
        scores = [0.0] * len(self.candidates)
        for weight, words in parts:
            for share, index in ((1.0, self._heads), (README, self._readmes)):
                for hit in index.top(list(dict.fromkeys(words)), len(scores)):
                    scores[hit.position] += weight * share * hit.score
        best = max(scores, default=0.0) or 1.0
        said = {squash(word) for word in (*query.names, *query.words)}
        for position, one in enumerate(self.candidates):
            name = squash(one.full_name.rpartition("/")[2])
            scores[position] += OWN_NAME * best * (len(name) > 3 and name in said)
            scores[position] *= (ARCHIVED if one.archived else 1.0) * (FORKED if one.fork else 1.0)
            scores[position] *= 1 + KNOWN * math.log10(1 + (one.stars or 0))
        order = sorted(range(len(scores)), key=lambda position: (-scores[position], position))
        return [_scored(self.candidates[place], scores[place], query) for place in order[:limit] if scores[place] > 0]


def _head(candidate: Candidate) -> list[str]:
    return stems(f"{candidate.full_name.rpartition('/')[2]} {candidate.description} {' '.join(candidate.topics)}")


def _scored(candidate: Candidate, score: float, query: Query) -> Candidate:
    own = {*_head(candidate), *stems(candidate.readme_head)}
    wanted = [word for field in query.fields for word in field] + [*query.names, *query.words]
    said = [word for word in dict.fromkeys(wanted) if (parts := stems(word)) and own.issuperset(parts)]
    why = f"mentions {', '.join(said[:_SAID])}" if said else ""
    return msgspec.structs.replace(candidate, score=round(score, 4), why=why)
