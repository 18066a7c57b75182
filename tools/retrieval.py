"""Full-text retrieval over documentation and code: a tokenizer made for identifiers, and BM25."""

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ml_agent.tools.candidates import Candidate
from ml_agent.tools.own_cache import remembered
from ml_agent.tools.query import Query, squash, stems

if TYPE_CHECKING:
    from rank_bm25 import BM25Plus

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


class Bm25Index(msgspec.Struct, frozen=True, array_like=True):
    """BM25 over tokenized documents. It can be kept as it is: of a word that no query has nothing is ever decoded.

    Okapi's weight of a word is negative where most documents hold it, which in a corpus of three files most do; the one taken here, that of
    BM25+, never is.
    """

    lengths: tuple[int, ...]
    """Words of each document."""
    postings: dict[str, msgspec.Raw]
    """By word each document that holds it, followed by how often."""

    @classmethod
    def of(cls, documents: Iterable[Iterable[str]], parts: Callable[[str], Sequence[str]] | None = None) -> "Bm25Index":
        """The index of documents, each its words in any order; any of them, and the whole corpus, may be empty.

        `parts` says what counts of a word, where that is not the word itself; it is asked once for each.
        """
        lengths, postings = list[int](), dict[str, list[int]]()
        known = dict[str, Sequence[str]]()
        for position, document in enumerate(documents):
            counts, length = dict[str, int](), 0
            for word, times in Counter(document).items():
                found = known.get(word)
                if found is None:
                    found = known[word] = parts(word) if parts is not None else (word,)
                for part in found:
                    counts[part] = counts.get(part, 0) + times
                length += len(found) * times
            lengths.append(length)
            for part, count in counts.items():
                postings.setdefault(part, []).extend((position, count))
        encode = msgspec.msgpack.Encoder().encode
        return cls(tuple(lengths), {word: msgspec.Raw(encode(found)) for word, found in postings.items()})

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> "Bm25Index":
        """The index of texts, by their words as `tokenize` gives them."""
        return cls.of(map(_WORD.findall, texts), _split_word)

    def top(self, query: Sequence[str], k: int) -> list[Hit]:
        """The best `k` documents that hold at least one word of the query, best first; ties in corpus order."""
        found = {word: _DECODER.decode(self.postings[word]) for word in query if word in self.postings}
        positions = sorted({position for posting in found.values() for position in posting[::2]})
        if not positions:
            return []
        hits = map(Hit, positions, _scorer(self.lengths, found).get_batch_scores(query, positions))
        return heapq.nsmallest(k, hits, key=lambda hit: (-hit.score, hit.position))


def _scorer(lengths: Sequence[int], postings: Mapping[str, Sequence[int]]) -> "BM25Plus":
    """rank-bm25's scorer for the words of a query, with what was kept in place of the documents that it counts itself.

    Without its lower bound (`delta`) it ranks as Okapi's does.
    """
    from rank_bm25 import BM25Plus  # numpy takes a tenth of a second: only where something is ranked

    scorer = BM25Plus([list(postings)], delta=0)
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    for word, posting in postings.items():
        for position, count in zip(posting[::2], posting[1::2], strict=True):
            counts[position][word] = count
    vars(scorer).update(
        corpus_size=len(lengths),
        avgdl=sum(lengths) / len(lengths),
        doc_len=lengths,
        doc_freqs=[counts.get(position, {}) for position in range(len(lengths))],
    )
    scorer._calc_idf({word: len(posting) // 2 for word, posting in postings.items()})
    return scorer


_DECODER = msgspec.msgpack.Decoder(list[int])


# Ranking repositories by what they say of themselves: BM25 over name, description, topics and README head.

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
