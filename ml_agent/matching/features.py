"""What speaks for a value in a slot: small functions of the wording and of the slot."""

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from ml_agent.matching.mentions import Mention, Statement
from ml_agent.matching.slots import Slot, Weights
from ml_agent.matching.terms import canonical, file_kinds, plain, terms
from ml_agent.values.numbers import number

_FADE = 0.82
_OUT_CUES = frozenset(
    terms("save write store put result output produce end collect export go goes gather belong land dump into")
)
_IN_CUES = frozenset(terms("read lie take data input from start continue find rest contain describe use load list"))
_FADE_OF_VERBS = 0.95
_TOWARD = frozenset({"to", "into", "under", "below", "as"})
_FROM = frozenset({"from", "in", "on", "of", "with", "at"})
_INTRODUCING = frozenset(["called", "named", "name", "prefix", "entitled", "titled"])
_PIECE = re.compile(r"[a-z]+|\d+(?:\.\d+)?")


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
def nearness(statement: Statement, mention: Mention) -> Nearness:
    """How near each term of the request stands to a mention."""
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    costs = statement.costs
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
    own = frozenset(terms(mention.value)) if mention.kind in {"path", "name", "word"} else frozenset()
    return Nearness(own, before, after, frozenset(lead), frozenset(following), _cues(statement, mention))


def _cues(statement: Statement, mention: Mention) -> tuple[float, float]:
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


class Entry(NamedTuple):
    """A value of a slot's vocabulary that the request seems to mean."""

    value: str
    strength: float
    """How much of it is said, what is common to the whole vocabulary left out; 0 to 1."""
    margin: float
    """How much more than of any other value."""
    exact: bool
    mention: Mention


def meant(statement: Statement, slot: Slot) -> list[Entry]:
    """The values of a slot's vocabulary that the request says in full or tells from all others."""
    vocabulary = slot.vocabulary
    if not vocabulary or len(vocabulary) > 400:
        return []
    said = _said(statement)
    pieces = {value: _pieces(value) for value in vocabulary}
    frequency: dict[str, int] = {}
    for several in pieces.values():
        for piece in several:
            frequency[piece] = frequency.get(piece, 0) + 1
    total = len(vocabulary)
    scored = []
    for value, several in pieces.items():
        worth = {piece: math.log(1 + (total + 0.5) / frequency[piece]) if total > 1 else 1.0 for piece in several}
        whole = sum(worth.values())
        hit = {piece for piece in several if piece in said}
        if hit and whole:
            # Of two values that are said in full the one that says more is meant.
            scored.append((sum(worth[p] for p in hit) / whole, sum(worth[p] for p in hit), len(hit), value, hit))
    scored.sort(key=lambda one: (-one[0], -one[1], len(one[3])))
    literal = {plain(token.value): place for place, token in enumerate(statement.tokens) if token.kind != "mark"}
    stated = [one for one in scored if plain(one[3]) in literal]
    if stated and any(len(one[4]) > 1 for one in stated):
        # A value that is written out is meant, and none that merely resembles it.
        scored = stated
    found = []
    for rank, (share, much, _, value, hit) in enumerate(scored[:4]):
        other = max((one[0] for place, one in enumerate(scored) if place != rank), default=0.0)
        if share < 0.45 or (share < 0.99 and share - other < 0.05):
            continue
        spot = literal.get(plain(value))
        mention = _stretch(statement, value, said, hit) if spot is None else _between(statement, value, spot, spot)
        exact = plain(mention.text) == plain(value) and bool(plain(value))
        found.append(
            Entry(value, share, share - other if share < 0.99 else 0.2 + share - other + 0.1 * much, exact, mention)
        )
    return found


@lru_cache(maxsize=64)
def _said(statement: Statement) -> Mapping[str, tuple[int, ...]]:
    """By piece of a word: the numbers of the tokens that hold it."""
    found: dict[str, list[int]] = {}
    for place, token in enumerate(statement.tokens):
        if token.kind == "mark":
            continue
        if token.value.endswith((".py", ".sh")):
            continue
        for piece in {*_PIECE.findall(token.value.lower().replace("++", "pp")), *_pieces(token.value)}:
            if token.kind != "path" or not piece.isdigit():
                found.setdefault(piece, []).append(place)
    return {piece: tuple(places) for piece, places in found.items()}


@lru_cache(maxsize=32768)
def _pieces(value: str) -> frozenset[str]:
    spaced = (
        re.sub(
            r"(?<=[a-z])(?=[A-Z][a-z])",
            " ",
            PurePosixPath(value).with_suffix("").as_posix()
            if re.search(r"\.(?:ya?ml|json|py|sh|txt|jpg|png|csv|toml)$", value)
            else value,
        )
        .lower()
        .replace("++", "pp")
    )
    return frozenset(
        canonical(piece) if piece.isalpha() else piece for piece in _PIECE.findall(spaced) if piece not in {"a", "the"}
    )


def _stretch(statement: Statement, value: str, said: Mapping[str, tuple[int, ...]], hit: Iterable[str]) -> Mention:
    """The words that say a value: from the rarest piece on, what stands near it."""
    rarest = min(hit, key=lambda piece: (len(said[piece]), -len(piece)))
    best: tuple[int, list[int]] | None = None
    for anchor in said[rarest]:
        places = [min(said[piece], key=lambda place: abs(place - anchor)) for piece in hit]
        near = [place for place in places if abs(place - anchor) <= 6]
        spread = max(near) - min(near) - 3 * len(near)
        if best is None or spread < best[0]:
            best = (spread, near)
    near = best[1] if best else [0]
    return _between(statement, value, min(near), max(near))


def _between(statement: Statement, value: str, first: int, last: int) -> Mention:
    """The mention of a value by the tokens from `first` to `last`."""
    start, end = statement.tokens[first].start, statement.tokens[last].end
    return Mention(
        text=statement.text[start:end], value=value, kind="word", start=start, end=end, first=first, last=last
    )


class Evidence(msgspec.Struct, frozen=True):
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


def evidence(near: Nearness, statement: Statement, slot: Slot, weights: Weights) -> Evidence:
    """How the words around a mention say a slot's name, its help text and what documents say of it."""

    def close(side: Mapping[str, float], term: str) -> float:
        return max([side.get(term, 0.0), *(_LIKE * side.get(one, 0.0) for one in statement.alike(term))])

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
            best = Evidence(both, before, after, strongest, said, head, lead, following, 0.0, 0.0, own)
    return msgspec.structs.replace(
        best, help=_overlap(near, slot.help_terms, weights), prose=_overlap(near, slot.prose_terms, weights)
    )


def _overlap(near: Nearness, described: frozenset[str], weights: Weights) -> float:
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


FEATURES = (
    "name", "name_before", "name_after", "name_best", "name_said", "head", "lead", "next", "help", "prose",
    "name_margin", "help_margin", "is_number", "is_whole", "is_path", "is_name", "is_text", "is_factor", "is_word",
    "is_series", "to_int", "to_float", "to_path", "to_choice", "number_to_text", "magnitude", "no_magnitude",
    "is_default", "strength", "margin", "exact", "vocabulary", "in_help", "out_out", "out_in", "in_out", "in_in",
    "weights_weights", "weights_other", "config_config", "config_other", "kind_said", "kind_other", "form_fits", "form_clashes",
    "required", "positional", "shown", "share", "terms", "several", "repeated", "own", "own_help", "noun", "noun_output", "output_only", "unsaid", "like", "shape", "weak", "literal_shown",
    "toward_output", "toward_other", "from_output", "from_other", "spoken_one", "used_input", "introduced", "introduced_name",
)  # fmt: skip


def features(
    statement: Statement, mention: Mention, slot: Slot, seen: Evidence, others: tuple[float, float], entry: Entry | None
) -> list[float]:
    """The vector of one mention in one slot.

    Args:
        statement: the request.
        mention: the value.
        slot: where it might go.
        seen: what the words around it say for this slot.
        others: the most that they say for the name and the help of any other slot.
        entry: where the mention comes from the slot's own vocabulary.
    """
    option = slot.option
    amount = number(mention.value.split(",")[0]) if mention.kind in {"number", "name"} else None
    near = nearness(statement, mention)
    role = slot.role
    path = mention.kind == "path" or (mention.kind == "name" and bool({"path", "output"} & role))
    shown = [option.help.lower(), (option.default or "").lower(), *(text.lower() for text in slot.seen)]
    default = slot.numeric_default
    magnitude = 0.0
    known = amount is not None and default is not None
    if known and amount is not None and default is not None:
        magnitude = 0.0 if amount == 0 or default == 0 else min(4.0, abs(math.log10(abs(float(amount)) / abs(default))))
    kind, given_kinds = (
        _file_kind(mention.value) if path else "",
        {_file_kind(word) for text in shown for word in text.split()} - {""},
    )
    weights_file = kind == "pt" or bool(near.lead & frozenset(terms("checkpoint weight network model")))
    config_file = kind == "yaml" or bool(near.lead & frozenset(terms("configuration config")))
    suffix = PurePosixPath(mention.value).suffix
    introduced = mention.kind in {"name", "path"} and _is_introduced(statement, mention)
    return [
        seen.name, seen.name_before, seen.name_after, seen.name_best, seen.name_said, seen.head, seen.lead, seen.next,
        seen.help, seen.prose, seen.name - others[0], seen.help - others[1],
        float(mention.kind == "number"), float(amount is not None and amount == amount.to_integral_value()),
        float(mention.kind == "path"), float(mention.kind == "name"), float(mention.kind == "text"),
        float(mention.kind == "factor"), float(mention.kind == "word"), float(bool(mention.parts)),
        float(option.type == "int"), float(option.type == "float"), float(option.type == "path" or "path" in role),
        float(bool(option.choices or option.accepted)),
        float(amount is not None and option.type in {"str", "unknown"} and default is None),
        magnitude, float(amount is not None and not known),
        float(option.default is not None and plain(option.default) == plain(mention.value) and bool(plain(mention.value))),
        entry.strength if entry else 0.0, entry.margin if entry else 0.0, float(entry.exact) if entry else 0.0,
        min(3.0, math.log10(1 + len(slot.vocabulary))) if entry else 0.0,
        float(len(mention.value) > 2 and mention.value.lower() in option.help.lower()),
        float(path) * near.cues[0] * ("output" in role), float(path) * near.cues[0] * bool({"input", "weights", "config"} & role),
        float(path) * near.cues[1] * ("output" in role), float(path) * near.cues[1] * bool({"input", "weights", "config"} & role),
        float(path and weights_file and bool({"weights", "weights-help"} & role)), float(path and weights_file and not {"weights", "weights-help"} & role),
        float(path and config_file and bool({"config", "config-help"} & role)), float(path and config_file != ("config" in role)),
        float(bool(kind) and kind in given_kinds), float(bool(kind) and bool(given_kinds) and kind not in given_kinds),
        *_formed(path, suffix, slot),
        float(option.required), float(option.positional), min(1.0, len(slot.seen) / 3),
        float(mention.percent), float(max((len(name) for name in slot.names), default=0)), float(slot.several),
        float(mention.kind == "name" and plain(mention.value) in {plain(" ".join(name)) for name in slot.names}),
        seen.own, float(len(near.own & slot.help_terms)) / (1 + len(near.own)),
        float(bool(mention.noun) and bool(set(terms(mention.noun)) & {t for name in slot.names for t in name})),
        float(path and bool(set(terms(mention.noun)) & frozenset(terms("folder directory"))) == (suffix == "")),
        float("output" in role), 1.0 - seen.name_said,
        _like(mention.value, slot), float(mention.kind == "name" and _shape(mention.value) in _shapes(slot)),
        float(mention.kind == "name" and _is_weak(mention.value)), float(len(mention.value) > 2 and mention.value in _known(slot)),
        *_directed(path, _direction(statement, mention), "output" in role),
        float(mention.text.lower() in {"one", "single"} and not seen.next),
        float(path and slot.direction == "input"),
        float(introduced), float(introduced and any("name" in name or "prefix" in name for name in slot.names)),
    ]  # fmt: skip


_QUOTED = re.compile(r"['\"`]([^'\"`\s]{2,40})['\"`]")


def _known(slot: Slot) -> tuple[str, ...]:
    """Values that it is known to take, those that its help quotes among them: "output resolution (e.g. '512x512')"."""
    option = slot.option
    quoted = _QUOTED.findall(option.help)
    return tuple(text for text in (option.default or "", *slot.seen, *option.choices[:40], *quoted) if text)


def _like(value: str, slot: Slot) -> float:
    """How many pieces a name shares with values that the slot is known to take: "roberta-base", "bert-base-uncased"."""
    own = _pieces(value)
    return max((len(own & _pieces(text)) / max(len(own), len(_pieces(text)), 1) for text in _known(slot)), default=0.0)


@lru_cache(maxsize=4096)
def _direction(statement: Statement, mention: Mention) -> str:
    """Where the nearest preposition before a value points: "toward" it, "from" it, or nowhere."""
    for place in range(mention.first - 1, max(-1, mention.first - 6), -1):
        word = statement.tokens[place].value.lower()
        if word in _TOWARD or word in _FROM:
            return "toward" if word in _TOWARD else "from"
        if statement.tokens[place].kind != "word":
            break
    return ""


def _formed(path: bool, suffix: str, slot: Slot) -> tuple[float, float]:
    """Whether a path with an ending meets a slot for a file and one without a slot for a folder, as the source or the name says."""
    form = slot.form or ("folder" if any("directory" in name for name in slot.names) else "")
    form = form or ("file" if any("file" in name for name in slot.names) else "")
    if not path or not form:
        return 0.0, 0.0
    fits = (form == "file") == bool(suffix)
    return float(fits), float(not fits)


def _is_introduced(statement: Statement, mention: Mention) -> bool:
    """Whether a word such as "called" stands right before a value."""
    before = statement.tokens[max(0, mention.first - 3) : mention.first]
    return any(token.value.lower() in _INTRODUCING for token in before)


def _directed(path: bool, direction: str, output: bool) -> list[float]:
    return [float(path and direction == way and output == kind) for way in ("toward", "from") for kind in (True, False)]


@lru_cache(maxsize=8192)
def _shape(value: str) -> str:
    """A name with its letters and digits made one: "Walker2d-v4" and "Hopper-v1" are alike."""
    return re.sub(r"A?a+(?:A?a*0*)*", "w", re.sub(r"[A-Z]", "A", re.sub(r"[a-z]", "a", re.sub(r"\d+", "0", value))))


def _shapes(slot: Slot) -> frozenset[str]:
    return frozenset(_shape(text) for text in _known(slot) if not text.isalpha())


def resembles(value: str, slot: Slot) -> bool:
    """Whether a name is spelled like one that the slot is known to take."""
    return _shape(value) in _shapes(slot) or _like(value, slot) > 0


def _is_weak(value: str) -> bool:
    """A word that is no certain name: no digit, no underscore, no capital but the first."""
    return not re.search(r"[\d_/]|[a-z][A-Z]|[A-Z]{2}", value)


@lru_cache(maxsize=8192)
def _file_kind(text: str) -> str:
    suffix = PurePosixPath(text.strip("'\"`.,;()[]")).suffix.lstrip(".").lower()
    return next(
        (group.split()[0] for group in file_kinds() if suffix in group.split()),
        suffix if 1 < len(suffix) < 6 and suffix.isalpha() else "",
    )
