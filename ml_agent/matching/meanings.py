"""Values of a slot's vocabulary that a request says in words."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.matching.mention import mention_of_tokens
from ml_agent.matching.mentions import Mention, ParsedRequest
from ml_agent.matching.slots import Slot
from ml_agent.matching.terms import alphanumeric, canonical, terms
from ml_agent.tools.remember import remembered
from ml_agent.values.lexicon import words

_PIECE = re.compile(r"[a-z]+|\d+(?:\.\d+)?")


_Scored = tuple[float, float, int, str, set[str]]
"""A value's share that is said, how much that is, how many pieces, the value, and which pieces."""


class VocabularyMatch(NamedTuple):
    """A value of a slot's vocabulary that the request seems to mean."""

    value: str
    strength: float
    """How much of it is said, what is common to the whole vocabulary left out; 0 to 1."""
    margin: float
    """How much more than of any other value."""
    exact: bool
    mention: Mention
    by_meaning: bool = False
    """Whether it is said by its sense, and not in words that are its own."""


def vocabulary_matches(statement: ParsedRequest, slot: Slot) -> list[VocabularyMatch]:
    """The values of a slot's vocabulary that the request says in full or tells from all others."""
    vocabulary = _as_typed(statement, slot.vocabulary)
    if not vocabulary or len(vocabulary) > 400:
        return []
    said = _tokens_by_piece(statement)
    aliases = words_of_choices(tuple(slot.option.choices), slot.option.help)
    aliases = {value: word for value, word in aliases.items() if word in said and not pieces_of(value) & said.keys()}
    pieces = {value: frozenset({aliases[value]}) if value in aliases else pieces_of(value) for value in vocabulary}
    scored = _score_values(statement, said, pieces)
    literal = {alphanumeric(token.value): place for place, token in enumerate(statement.tokens) if token.kind != "mark"}
    stated = [one for one in scored if alphanumeric(one[3]) in literal]
    if stated and any(len(one[4]) > 1 for one in stated):
        # A value that is written out is meant, and none that merely resembles it.
        scored = stated
    scored = [one for one in scored if not any(_is_scattered(statement, one, other[4], said) for other in stated)]
    found, common = [], frozenset.intersection(*pieces.values())
    for rank, (share, much, _, value, hit) in enumerate(scored[:4]):
        other = max((one[0] for place, one in enumerate(scored) if place != rank), default=0.0)
        named = any(_is_proper_name(statement, place, value, pieces) for piece in hit for place in said[piece])
        spot = literal.get(alphanumeric(value))
        alike = len(pieces) > 1 and spot is None and hit <= common and hit != pieces[value]  # what all have tells none
        if alike or (not named and not _is_meant(share, share - other)):
            continue
        mention = (
            _stretch(statement, value, said, hit) if spot is None else mention_between(statement, value, spot, spot)
        )
        exact = value in aliases or (alphanumeric(mention.text) == alphanumeric(value) and bool(alphanumeric(value)))
        exact = exact or named or canonical(mention.text.lower()) == canonical(value.lower())
        share = 1.0 if named else share
        margin = share - other if share < 0.99 else 0.2 + share - other + 0.1 * much
        found.append(VocabularyMatch(value, share, margin, exact, mention))
    return [one for one in found if not any(_says_more(statement, other, one, pieces) for other in found)]


def _is_scattered(
    statement: ParsedRequest, entry: _Scored, written: set[str], said: Mapping[str, tuple[int, ...]]
) -> bool:
    """Whether a value is only said by another that is written out and words elsewhere: "the trees … as collapsed ones" is no `collapsedTree`."""
    hit = entry[4]
    if not written < hit:
        return False
    mention = _stretch(statement, entry[3], said, hit)
    return mention.last - mention.first >= len(hit)


def _says_more(
    statement: ParsedRequest, entry: VocabularyMatch, other: VocabularyMatch, pieces: Mapping[str, frozenset[str]]
) -> bool:
    """Whether another value is but a part of the words of one that is written out: "Restricted ImageNet" is no `imagenet`."""
    if not entry.exact or not pieces[other.value] < pieces[entry.value]:
        return False
    inside = range(entry.mention.first, entry.mention.last + 1)
    return not any(
        alphanumeric(token.value) == alphanumeric(other.value) and token.kind != "path" and place not in inside
        for place, token in enumerate(statement.tokens)
    )


def _as_typed(statement: ParsedRequest, vocabulary: Sequence[str]) -> Sequence[str]:
    """Known values without those that differ in case alone from one that the request has to the letter: "FastCUT" beside "fastcut"."""
    said = {token.value for token in statement.tokens} & set(vocabulary)
    spelled = {alphanumeric(value) for value in said}
    return (
        [value for value in vocabulary if value in said or alphanumeric(value) not in spelled] if said else vocabulary
    )


def _is_meant(share: float, margin: float) -> bool:
    """Whether so much of a value is said, so much more than of any other, that it may be meant."""
    return share > 0.99 or (share >= 0.45 and margin >= 0.05) or (share >= 0.35 and margin >= 0.15)


def _is_proper_name(statement: ParsedRequest, place: int, value: str, pieces: Mapping[str, frozenset[str]]) -> bool:
    """Whether a word is a name that stands in this value of all: "LeViT" in `dpt_levit_224`."""
    word = statement.tokens[place].value
    name = alphanumeric(word)
    if len(name) < _NAME or not re.search(r"[a-z][A-Z]|[A-Z]{3}", word) or not word.isalpha():
        return False
    return name in pieces[value] and sum(name in several for several in pieces.values()) == 1


_NAME = 4


def _score_values(
    statement: ParsedRequest, said: Mapping[str, tuple[int, ...]], pieces: Mapping[str, frozenset[str]]
) -> list[_Scored]:
    """Each value of which something is said, the best first: its share, how much that is, how many pieces, and which."""
    frequency = Counter(piece for several in pieces.values() for piece in several)
    total = len(pieces)
    scored = []
    for value, several in pieces.items():
        worth = {piece: math.log(1 + (total + 0.5) / frequency[piece]) if total > 1 else 1.0 for piece in several}
        hit = {piece for piece in several if any(_says(statement, place, several) for place in said.get(piece, ()))}
        hit = _without_stray(statement, said, hit, (value, several))
        if any(piece.isalpha() and frequency[piece] < total for piece in hit):
            # What all of them have tells none: "the rings" of checkpoints/rings_mlp.json and checkpoints/moons_mlp.json.
            worth = {piece: much for piece, much in worth.items() if piece in hit or frequency[piece] < total}
        whole = math.fsum(worth.values())
        if hit and whole:
            # Of two values that are said in full the one that says more is meant.
            much = math.fsum(worth[piece] for piece in hit)
            scored.append((much / whole, much, len(hit), value, hit))
    return sorted(scored, key=lambda one: (-one[0], -one[1], len(one[3])))


def _without_stray(
    statement: ParsedRequest, said: Mapping[str, tuple[int, ...]], hit: set[str], known: tuple[str, frozenset[str]]
) -> set[str]:
    """The pieces that are said, but for single letters and digits that stand far from the others: "x3" and a 2 elsewhere are no `x2plus`."""
    long = {piece for piece in hit if len(piece) > 1}
    if not any(len(piece) > 1 and piece.isalpha() for piece in known[1]):
        return hit
    near = [place for piece in long for place in said[piece]]

    def counts(place: int) -> bool:
        word = statement.tokens[place].value
        code = bool(re.fullmatch(r"[A-Za-z]\d+", word)) and word.lower() in alphanumeric(known[0])  # "V3"
        return code or bool(_JOINED.search(word)) or any(abs(place - other) <= _BESIDE for other in near)

    return long | {piece for piece in hit - long if any(map(counts, said[piece]))}


_BESIDE = 4
_JOINED = re.compile(r"\w[_/-]\w")


def _says(statement: ParsedRequest, place: int, pieces: frozenset[str]) -> bool:
    """Whether a word can mean a value of these pieces: one with underscores is a name of its own, and its parts mean little alone."""
    token = statement.tokens[place]
    word = token.value.rpartition("/")[2].partition(".")[0] if token.kind == "path" else token.value
    return "_" not in word or 2 * len(pieces_of(word) & pieces) >= len(pieces_of(word))


_MEANS = r"\s+(?:is|are|means)\s+(?:(?:the|an?)\s+)?([A-Za-z]{4,20})\b"


@lru_cache(maxsize=4096)
def words_of_choices(choices: tuple[str, ...], text: str) -> Mapping[str, str]:
    """By choice: the word that a help text says it is, "l1 is the lasso"; none that says it of two."""
    found: dict[str, str] = {}
    for choice in choices:
        match = re.search(rf"(?<![\w-]){re.escape(choice)}(?![\w-]){_MEANS}", text)
        if match is not None and match[1].lower() not in words("stop"):
            found[choice] = canonical(match[1].lower())
    several, taken = list(found.values()), set(map(canonical, choices))
    return {choice: word for choice, word in found.items() if several.count(word) == 1 and word not in taken}


@lru_cache(maxsize=64)
def _tokens_by_piece(statement: ParsedRequest) -> Mapping[str, tuple[int, ...]]:
    """By piece of a word: the numbers of the tokens that hold it."""
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


_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_FILE = re.compile(r"\.(?:ya?ml|json|py|sh|txt|jpg|png|csv|toml)$")
_VERSION = re.compile(r"(?<=[a-z]{3})v(?=\d)")
"""How a version begins that is joined to a name: "animevideov3"."""


_CODE = 2
"""Letters of a code: a language called `bs` is no batch size."""


@remembered(32768)
def pieces_of(value: str) -> frozenset[str]:
    """The words and numbers of a known value, as terms; a file's without its ending."""
    if _FILE.search(value):
        value = PurePosixPath(value).with_suffix("").as_posix()
    spaced = _HUMP.sub(" ", value).lower().replace("++", "pp")
    spaced = _VERSION.sub(" v", spaced)
    return frozenset(
        term
        for piece in _PIECE.findall(spaced)
        if piece not in {"a", "the"}
        for term in (terms(piece) if piece.isalpha() and len(piece) > _CODE else (piece,))
    )


_MOST_PLACES = 100
"""Of a word that is said again and again."""


def _stretch(statement: ParsedRequest, value: str, said: Mapping[str, tuple[int, ...]], hit: Iterable[str]) -> Mention:
    """The words that say a value: from the rarest piece on, what stands near it."""
    rarest = min(hit, key=lambda piece: (len(said[piece]), -len(piece), said[piece], piece))
    best: tuple[int, list[int]] | None = None
    for anchor in said[rarest][:_MOST_PLACES]:
        places = [min(said[piece], key=lambda place: abs(place - anchor)) for piece in hit]
        near = [place for place in places if abs(place - anchor) <= 6]
        spread = max(near) - min(near) - 3 * len(near)
        if best is None or spread < best[0]:
            best = (spread, near)
    near = best[1] if best else [0]
    return mention_between(statement, value, min(near), max(near))


def mention_between(statement: ParsedRequest, value: str, first: int, last: int) -> Mention:
    """The mention of a value by the tokens from `first` to `last`."""
    return mention_of_tokens(statement.text, statement.tokens, first, last, kind="word", value=value)
