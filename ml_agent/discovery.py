"""From an instruction to the repositories that may do it, without a model.

The instruction is read with general knowledge of the field (tools/concepts.toml): which field a model, a dataset or
a term belongs to, and how repositories of that field describe themselves. Popularity plays no part.
"""

from collections.abc import Sequence

from ml_agent.tools.candidates import Candidate
from ml_agent.tools.query import Query, read_queries, read_query
from ml_agent.tools.ranking import Ranker

MAX_KEYWORDS = 12
MAX_QUERIES = 6
_FIELDS = 2
"""How many fields of an instruction make queries of their own."""
_NAMES = 3


def keywords(instruction: str) -> tuple[str, ...]:
    """What the instruction is about, best first: its fields, the names in it, then its other telling words."""
    query = read_query(instruction)
    fields = [concept.words[0] for concept in query.fields[: 2 * _FIELDS]]
    found = {word.lower(): word for word in (*fields, *query.names, *query.words)}
    return tuple(found.values())[:MAX_KEYWORDS]


def queries(instruction: str) -> tuple[str, ...]:
    """Search queries, best first; GitHub asks for every word of a query, so they are short."""
    return tuple(dict.fromkeys(_queries(read_query(instruction))))[:MAX_QUERIES]


def rank(instruction: str, candidates: Sequence[Candidate], further: Sequence[str] = ()) -> list[Candidate]:
    """All candidates in descending relevance to the instruction, with their scores.

    `further` are keywords or queries from elsewhere (a model) that count beside the instruction's own words.
    """
    query = read_queries((instruction, *further)) if further else read_query(instruction)
    ranker = Ranker(candidates)
    found = ranker.top(query, len(candidates))
    ranked = {candidate.full_name for candidate in found}
    return found + [candidate for candidate in candidates if candidate.full_name not in ranked]


def _queries(query: Query) -> list[str]:
    if not query.fields:
        words = [*query.names[:_NAMES], *query.words]
        return [" ".join(words[:3]), *words[:MAX_QUERIES]] if words else []
    strongest = query.fields[:_FIELDS]
    first = [concept.words[0] for concept in strongest]
    names = list(query.names[:_NAMES])
    others = [words for concept in strongest for words in concept.words[1:3]]
    return [*first[:1], *names[:1], *first[1:], *others[:1], *names[1:], *others[1:]]
