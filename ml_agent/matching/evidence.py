"""How the words around a value say an option: its name, its help text, and what documents say of it."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from ml_agent.matching.mentions import Mention, ParsedRequest
from ml_agent.matching.slots import Slot, TermWeights
from ml_agent.matching.terms import canonical, terms

_FADE = 0.82
_OUT_CUES = frozenset(
    terms("save write store put result output produce end collect export go goes gather belong land dump into")
)
_IN_CUES = frozenset(terms("read lie take data input from start continue find rest contain describe use load list"))
_FADE_OF_VERBS = 0.95


class Nearness(NamedTuple):
    """How near each term stands to a mention, 0 to 1."""

    own: frozenset[str]
    """Terms of the value itself: "mels" in "outputs/mels"."""
    before: Mapping[str, float]
    after: Mapping[str, float]
    lead: frozenset[str]
    """Terms of the content word right before it."""
    next: frozenset[str]
    """Terms of the content word right behind it."""
    cues: tuple[float, float]
    """How near an output word and an input word stand before it."""


@lru_cache(maxsize=4096)
def nearness(statement: ParsedRequest, mention: Mention) -> Nearness:
    """How near each term of the request stands to a mention."""
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    costs = statement.distances
    lead: tuple[str, ...] = ()
    following: tuple[str, ...] = ()
    for word in statement.content:
        if mention.first <= word.place <= mention.last or statement.tokens[word.place].kind == "path":
            continue
        if word.place < mention.first:
            near = _FADE ** max(0.0, costs[mention.first] - costs[word.place] - 1)
            side = before
            lead = word.terms if near > 0.5 else ()
        else:
            near = _FADE ** max(0.0, costs[word.place] - costs[mention.last] - 1)
            side = after
            if not following and near > 0.5:
                following = word.terms
        for term in word.terms:
            if near > side.get(term, 0.02):
                side[term] = near
    if mention.kind == "word":
        # The rest of the very word stands nearest: "link" of "single-link", where the value is "single".
        rest = set(terms(mention.text)) - set(terms(mention.value))
        following = tuple(rest) or following
        after |= dict.fromkeys(rest, 1.0)
    if mention.noun and mention.noun not in statement.text.lower():
        after |= dict.fromkeys(terms(mention.noun), 1.0)
    own = frozenset(terms(mention.value)) if mention.kind in {"path", "name", "word"} else frozenset()
    return Nearness(own, before, after, frozenset(lead), frozenset(following), _cues(statement, mention))


def _cues(statement: ParsedRequest, mention: Mention) -> tuple[float, float]:
    """How near a word of writing and a word of reading stand before it; the nearer one of them governs a value."""
    for place in range(mention.first - 1, -1, -1):
        token = statement.tokens[place]
        if token.kind == "mark" and token.text in ".!?;":
            break
        word = canonical(token.value.lower()) if token.kind == "word" else ""
        if word in _OUT_CUES or word in _IN_CUES:
            near = _FADE_OF_VERBS ** (mention.first - 1 - place)
            return (near, 0.0) if word in _OUT_CUES else (0.0, near)
    return 0.0, 0.0


class Evidence(NamedTuple):
    """What speaks for one mention in one slot before all slots are compared."""

    name: float = 0.0
    name_before: float = 0.0
    name_after: float = 0.0
    name_best: float = 0.0
    name_said: float = 0.0
    head: float = 0.0
    lead: float = 0.0
    next: float = 0.0
    help: float = 0.0
    prose: float = 0.0
    own: float = 0.0


_LIKE = 0.7
"""What a term counts that contains the one that was said, or is contained in it."""


def evidence(near: Nearness, statement: ParsedRequest, slot: Slot, weights: TermWeights) -> Evidence:
    """How the words around a mention say a slot's name, its help text and what documents say of it."""

    def close(side: Mapping[str, float], term: str) -> float:
        return max([side.get(term, 0.0), *(_LIKE * side.get(one, 0.0) for one in statement.similar_terms(term))])

    best = Evidence()
    for name in slot.names:
        worth = {term: weights.name(term) + 0.02 for term in name}
        whole = sum(worth.values())
        ahead = {t: close(near.before, t) for t in worth}
        behind = {t: close(near.after, t) for t in worth}
        both = sum(w * max(ahead[t], behind[t]) for t, w in worth.items()) / whole
        if both >= best.name:
            before = sum(w * ahead[t] for t, w in worth.items()) / whole
            after = sum(w * behind[t] for t, w in worth.items()) / whole
            strongest = max(w * max(ahead[t], behind[t]) for t, w in worth.items())
            said = sum(w for t, w in worth.items() if t in statement.vocabulary) / whole
            head = max(ahead[name[-1]], behind[name[-1]])
            lead = sum(w for t, w in worth.items() if t in near.lead) / whole
            following = sum(w for t, w in worth.items() if t in near.next) / whole
            own = sum(w for t, w in worth.items() if t in near.own) / whole
            best = Evidence(both, before, after, strongest, said, head, lead, following, own=own)
    return best._replace(help=_overlap(near, slot.help_terms, weights), prose=_overlap(near, slot.prose_terms, weights))


def _overlap(near: Nearness, described: frozenset[str], weights: TermWeights) -> float:
    if not described:
        return 0.0
    hits = sorted(
        (
            weights.help(term) * max(near.before.get(term, 0.0), near.after.get(term, 0.0))
            for term in described
            if term in near.before or term in near.after
        ),
        reverse=True,
    )
    return sum(hits[:4])
