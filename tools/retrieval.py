"""Full-text retrieval over documentation and code: a tokenizer made for identifiers, and BM25."""

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ml_agent.tools.remember import remembered

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
