"""Values of an option's own vocabulary that a request says: its choices, its default, what examples give it."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.offline.reading import Mention, ParsedRequest
from ml_agent.offline.slots import Slot
from ml_agent.offline.words import alphanumeric, canonical, terms
from ml_agent.tools.own_cache import remembered

_PIECE = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_FILE = re.compile(r"\.(?:ya?ml|json|py|sh|txt|jpg|png|csv|toml)$")
_GLOSS = r"(?<![\w-]){word}(?:\s+(?:is|means|for)|\s*[:=])\s+(?:the\s+|an?\s+)?([a-z][\w-]{{3,}})|([a-z][\w-]{{3,}})\s\({word}\)"
"""How a help text explains a choice."""
_MOST_VALUES = 400
_CODE = 2
"""Letters of a code: a language called `bs` is no batch size."""
_MOST_PLACES = 100
"""Of a word that is said again and again."""
_Said = Mapping[str, tuple[int, ...]]
"""By piece of a word: the numbers of the tokens that hold it."""


class VocabularyMatch(NamedTuple):
    """A value of a slot's vocabulary that the request seems to mean."""

    value: str
    share: float
    """How much of it is said, what is rare in the vocabulary counting more; 0 to 1."""
    margin: float
    """How much more than of any other value."""
    exact: bool
    mention: Mention


class _Scored(NamedTuple):
    share: float
    much: float
    value: str
    hit: frozenset[str]


def vocabulary_matches(statement: ParsedRequest, slot: Slot) -> list[VocabularyMatch]:
    """The values of a slot's vocabulary that the request says in full, or tells from all others."""
    vocabulary = slot.vocabulary
    if not vocabulary or len(vocabulary) > _MOST_VALUES:
        return []
    if glossed := _glossed(statement, slot):
        return glossed
    said = _tokens_by_piece(statement)
    pieces = {value: pieces_of(value) for value in vocabulary}
    scored = _scored(said, pieces)
    literal = {alphanumeric(one.value): place for place, one in enumerate(statement.tokens) if one.kind != "mark"}
    written = [one for one in scored if alphanumeric(one.value) in literal]
    if any(len(one.hit) > 1 for one in written):
        scored = written  # what is written out is meant, and nothing that merely resembles it
    common = frozenset.intersection(*pieces.values())
    found = []
    for place, one in enumerate(scored[:4]):
        other = max((other.share for at, other in enumerate(scored) if at != place), default=0.0)
        spot = literal.get(alphanumeric(one.value))
        alike = len(pieces) > 1 and spot is None and one.hit <= common and one.hit != pieces[one.value]
        if alike or not _is_meant(one.share, one.share - other):
            continue
        mention = _stretch(statement, one, said) if spot is None else _word(statement, one.value, spot, spot)
        exact = spot is not None or canonical(mention.text.lower()) == canonical(one.value.lower())
        margin = one.share - other if one.share < 0.99 else 0.2 + one.share - other + 0.1 * one.much
        found.append(VocabularyMatch(one.value, one.share, margin, exact, mention))
    return found


def _glossed(statement: ParsedRequest, slot: Slot) -> list[VocabularyMatch]:
    """The choice that the request says by the word with which the help explains it: "lasso" for "l1 is the lasso"."""
    if not slot.closed or not slot.option.help:
        return []
    glosses: dict[str, set[str]] = {}
    for value in slot.vocabulary:
        word = re.escape(value)
        for found in re.finditer(_GLOSS.format(word=word), slot.option.help, re.IGNORECASE):
            glosses.setdefault(canonical((found[1] or found[2]).lower()), set()).add(value)
    own = {canonical(value.lower()) for value in slot.vocabulary}
    told = [word for word in statement.content if glosses.keys() & {canonical(word.text)} - own]
    meant = {value for word in told for value in glosses[canonical(word.text)]}
    if len(meant) != 1 or own & {canonical(word.text) for word in statement.content}:
        return []
    (value,), place = meant, told[0].place
    return [VocabularyMatch(value, 1.0, 1.5, True, _word(statement, value, place, place))]


def _is_meant(share: float, margin: float) -> bool:
    """Whether so much of a value is said, so much more than of any other, that it may be meant."""
    return share > 0.99 or (share >= 0.45 and margin >= 0.05) or (share >= 0.35 and margin >= 0.15)


def _scored(said: _Said, pieces: Mapping[str, frozenset[str]]) -> list[_Scored]:
    """Each value of which something is said, the best first."""
    frequency = Counter(piece for several in pieces.values() for piece in several)
    total, scored = len(pieces), []
    for value, several in pieces.items():
        worth = {piece: math.log(1 + (total + 0.5) / frequency[piece]) if total > 1 else 1.0 for piece in several}
        hit = {piece for piece in several if piece in said}
        if any(piece.isalpha() and frequency[piece] < total for piece in hit):
            # What all of them have tells none: "the rings" of checkpoints/rings_mlp.json and checkpoints/moons_mlp.json.
            worth = {piece: much for piece, much in worth.items() if piece in hit or frequency[piece] < total}
        if whole := math.fsum(worth.values()) if hit else 0.0:
            much = math.fsum(worth[piece] for piece in hit)
            scored.append(_Scored(much / whole, much, value, frozenset(hit)))
    return sorted(scored, key=lambda one: (-one.share, -one.much, len(one.value), one.value))


@lru_cache(maxsize=64)
def _tokens_by_piece(statement: ParsedRequest) -> _Said:
    found: dict[str, list[int]] = {}
    for place, token in enumerate(statement.tokens):
        if token.kind == "mark" or token.value.endswith((".py", ".sh")):
            continue
        spelled = (token.text if token.kind == "number" else token.value).lower().replace("++", "pp")
        for piece in {*_PIECE.findall(spelled), *pieces_of(token.value), alphanumeric(spelled)}:
            if token.kind != "path" or not piece.isdigit():
                found.setdefault(piece, []).append(place)
    for place, (one, other) in enumerate(itertools.pairwise(statement.tokens)):
        if one.kind == other.kind == "word":
            found.setdefault(canonical(f"{one.value}{other.value}".lower()), []).append(place)
    return {piece: tuple(places) for piece, places in found.items()}


@remembered(32768)
def pieces_of(value: str) -> frozenset[str]:
    """The words and numbers of a known value, as terms; a file's without its ending."""
    bare = PurePosixPath(value).with_suffix("").as_posix() if _FILE.search(value) else value
    spaced = _HUMP.sub(" ", bare).lower().replace("++", "pp")
    apart = (piece for piece in _PIECE.findall(spaced) if piece not in {"a", "the"})
    return frozenset(term for one in apart for term in (terms(one) if one.isalpha() and len(one) > _CODE else (one,)))


def _stretch(statement: ParsedRequest, one: _Scored, said: _Said) -> Mention:
    """The words that say a value: from the rarest piece on, what stands near it."""
    rarest = min(one.hit, key=lambda piece: (len(said[piece]), -len(piece), said[piece], piece))
    best = min((_near(anchor, one.hit, said) for anchor in said[rarest][:_MOST_PLACES]), key=_spread)
    return _word(statement, one.value, min(best), max(best))


def _near(anchor: int, hit: Iterable[str], said: _Said) -> list[int]:
    places = [min(said[piece], key=lambda place: abs(place - anchor)) for piece in hit]
    return [place for place in places if abs(place - anchor) <= 6]


def _spread(places: list[int]) -> int:
    return max(places) - min(places) - 3 * len(places)


def _word(statement: ParsedRequest, value: str, first: int, last: int) -> Mention:
    return statement.mention(first, last, kind="word", value=value)
