"""What speaks for a value in a slot: small functions of the wording and of the slot."""

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from ml_agent.matching.meanings import Entry, pieces_of
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
    "is_absence", "absence_next", "is_made", "zero_choice",
    "path_fits", "path_clashes", "name_to_path", "text_to_path", "path_open", "default_zero", "share_fits", "share_clashes",
    "name_alone", "help_alone", "next_help", "lead_help",
)  # fmt: skip


class Others(NamedTuple):
    """What is said for other slots by a value, and by other values for a slot: the most of each."""

    name: float
    help: float
    rival_name: float
    rival_help: float


def features(
    statement: Statement, mention: Mention, slot: Slot, seen: Evidence, others: Others, entry: Entry | None
) -> list[float]:
    """The vector of one mention in one slot.

    Args:
        statement: the request.
        mention: the value.
        slot: where it might go.
        seen: what the words around it say for this slot.
        others: the most that is said for other slots, and by other values for this one.
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
        seen.help, seen.prose, seen.name - others.name, seen.help - others.help,
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
        float(mention.kind == "absence"), float(mention.kind == "absence") * seen.next, float(mention.whole),
        float(mention.kind == "absence" and slot.closed),
        *_by_kind(mention, slot), *_by_size(amount, default, slot),
        seen.name - others.rival_name, seen.help - others.rival_help,
        float(bool(near.next & slot.help_terms)), float(bool(near.lead & slot.help_terms)),
    ]  # fmt: skip


def _by_kind(mention: Mention, slot: Slot) -> list[float]:
    """Whether a path meets a slot for paths, and what is no path one that is for something else."""
    path, fits = mention.kind == "path", slot.takes_path
    bare = slot.option.type in {"str", "path", "unknown"} and not slot.option.help and slot.option.default in {None, ""}
    return [
        float(path and fits), float(path and not fits), float(mention.kind == "name" and fits),
        float(mention.kind == "text" and fits), float(path and not fits and bare),
    ]  # fmt: skip


def _by_size(amount: Decimal | None, default: float | None, slot: Slot) -> list[float]:
    """Whether a default of 0 tells nothing of a number's size, and whether both or only one of them are shares of a whole."""
    if amount is None or default is None:
        return [0.0, 0.0, 0.0]
    share, shares = 0 < abs(float(amount)) < 1, 0 < abs(default) < 1
    return [float(default == 0), float(share and shares), float(share != shares and default not in {0.0, 1.0})]


_QUOTED = re.compile(r"['\"`]([^'\"`\s]{2,40})['\"`]")


def _known(slot: Slot) -> tuple[str, ...]:
    """Values that it is known to take, those that its help quotes among them: "output resolution (e.g. '512x512')"."""
    option = slot.option
    quoted = _QUOTED.findall(option.help)
    return tuple(text for text in (option.default or "", *slot.seen, *option.choices[:40], *quoted) if text)


def _like(value: str, slot: Slot) -> float:
    """How many pieces a name shares with values that the slot is known to take: "roberta-base", "bert-base-uncased"."""
    own = pieces_of(value)
    return max(
        (len(own & pieces_of(text)) / max(len(own), len(pieces_of(text)), 1) for text in _known(slot)), default=0.0
    )


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
