"""How much the words around a value speak for an option: by the option's name and its help text, nearer words more."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from ml_agent.offline.reading import Mention, ParsedRequest
from ml_agent.offline.slots import Slot, TermWeights
from ml_agent.offline.words import terms, words

_FADE, _FADE_OF_VERBS = 0.82, 0.95
_FARTHEST = 0.02
"""How near a word is at least that counts."""


class Nearness(NamedTuple):
    """How near each term of a request stands to a value, 0 to 1."""

    own: frozenset[str]
    """Terms of the value itself: "mels" in "outputs/mels"."""
    before: Mapping[str, float]
    after: Mapping[str, float]
    lead: frozenset[str]
    """Terms of the telling word right before it."""
    next: frozenset[str]
    """Terms of the telling word right behind it."""
    written: float
    """How near a word of writing stands before it; 0 where one of reading is nearer."""
    read: float


@lru_cache(maxsize=4096)
def nearness(statement: ParsedRequest, mention: Mention) -> Nearness:
    """How near each term of the request stands to a value."""
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    costs = statement.distances
    lead: tuple[str, ...] = ()
    following: tuple[str, ...] = ()
    for word in statement.unspelled:
        if mention.first <= word.place <= mention.last or statement.tokens[word.place].kind == "path":
            continue
        ahead = word.place < mention.first
        way = costs[mention.first] - costs[word.place] if ahead else costs[word.place] - costs[mention.last]
        near = _FADE ** max(0.0, way - 1)
        side = before if ahead else after
        if ahead:
            lead = word.terms if near > 0.5 else ()
        elif not following and near > 0.5:
            following = word.terms
        for term in word.terms:
            if near > side.get(term, _FARTHEST):
                side[term] = near
    own = frozenset(terms(mention.value)) if mention.kind in {"path", "name", "word"} else frozenset()
    return Nearness(own, before, after, frozenset(lead), frozenset(following), *_cues(statement, mention))


def _cues(statement: ParsedRequest, mention: Mention) -> tuple[float, float]:
    """How near a word of writing and a word of reading stand before a value; the nearer one of them governs it."""
    writes, reads = ({term for word in words(kind) for term in terms(word)} for kind in ("writes", "reads"))
    for place in range(mention.first - 1, -1, -1):
        token = statement.tokens[place]
        if token.kind == "mark" and token.text in ".!?;":
            break
        said = set(terms(token.value)) if token.kind == "word" else set()
        if said & (writes | reads):
            near = _FADE_OF_VERBS ** (mention.first - 1 - place)
            return (near, 0.0) if said & writes else (0.0, near)
    return 0.0, 0.0


class Evidence(NamedTuple):
    """What speaks for a value in a slot before all slots are compared."""

    name: float = 0.0
    """How much of the slot's name stands near it, 0 to 1."""
    before: float = 0.0
    after: float = 0.0
    said: float = 0.0
    """How much of the name is said anywhere."""
    head: float = 0.0
    """How near the last word of the name stands."""
    lead: float = 0.0
    """How much of the name is the word right before it."""
    next: float = 0.0
    own: float = 0.0
    """How much of the name is in the value itself."""
    help: float = 0.0


def evidence(near: Nearness, statement: ParsedRequest, slot: Slot, weights: TermWeights) -> Evidence:
    """How the words around a value say a slot's name and its help text."""
    best = max((_by_name(near, statement, name, weights) for name in slot.names), default=Evidence())
    return best._replace(help=_overlap(near, slot.help_terms, weights))


def _by_name(near: Nearness, statement: ParsedRequest, name: tuple[str, ...], weights: TermWeights) -> Evidence:
    worth = {term: weights.name(term) + 0.02 for term in name}
    whole = sum(worth.values())
    ahead, behind = ({term: side.get(term, 0.0) for term in worth} for side in (near.before, near.after))

    def share(of: Mapping[str, float]) -> float:
        return sum(w * of.get(t, 0.0) for t, w in worth.items()) / whole

    both = {t: max(ahead[t], behind[t]) for t in worth}
    return Evidence(
        share(both),
        share(ahead),
        share(behind),
        share(dict.fromkeys(statement.vocabulary, 1.0)),
        both[name[-1]],
        *(share(dict.fromkeys(said, 1.0)) for said in (near.lead, near.next, near.own)),
    )


def _overlap(near: Nearness, described: frozenset[str], weights: TermWeights) -> float:
    """What of a text stands near: its four weightiest terms."""
    close = ((term, max(near.before.get(term, 0.0), near.after.get(term, 0.0))) for term in described)
    return sum(sorted((weights.help(term) * much for term, much in close if much), reverse=True)[:4])
