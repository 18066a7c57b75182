"""What speaks for a value in an option as numbers, which the fitted weights sum up: wording, kinds, the option's own vocabulary, paths."""

import math
import re
from decimal import Decimal
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.numbers import number
from ml_agent.offline.evidence import Evidence, nearness
from ml_agent.offline.reading import Mention, ParsedRequest
from ml_agent.offline.slots import Slot
from ml_agent.offline.vocabulary import VocabularyMatch, pieces_of
from ml_agent.offline.words import alphanumeric, kind_of_file, terms
from ml_agent.tools.own_cache import remembered

_NAMES_OF_FEATURES = """
name before after said head lead next own help help_margin name_rival help_rival is_number is_whole is_path
is_name is_text is_word is_series is_absence to_int to_float to_choice magnitude no_magnitude is_default
share_fits share_clashes share word_share word_margin word_exact exact_closed exact_proper exact_number ordinary code
usual_file owed called full written_output written_other read_output read_other kind_fits kind_clashes form_fits
form_clashes weights_fit weights_clash path_fits path_clashes name_to_path text_to_path required positional seen
several named_by_noun like shape weak seen_so named_fully alone
"""
VALUE_FEATURES = tuple(_NAMES_OF_FEATURES.split())
_NEARLY = 0.9
"""So near must a whole name stand right before a value."""
_QUOTED = re.compile(r"['\"`]([^'\"`\s]{2,40})['\"`]")
_WEIGHTS = frozenset(terms("checkpoint weight network model"))
_FOLDER = frozenset(terms("folder directory"))


class Rivals(NamedTuple):
    """The most that is said for other slots by a value, and for a slot by other values."""

    name: float = 0.0
    help: float = 0.0
    other_name: float = 0.0
    other_help: float = 0.0


class Candidate(NamedTuple):
    """A value that could go into a slot."""

    mention: Mention
    place: int
    """Number of the slot."""
    seen: Evidence
    match: VocabularyMatch | None = None
    """Where it is of the slot's own vocabulary."""
    ordinary: bool = False
    """Whether a known value is said by a word that stands there for another option: "epoch" in "one epoch" is no strategy."""


def features(statement: ParsedRequest, one: Candidate, slot: Slot, rivals: Rivals) -> list[float]:
    """The vector of a value in a slot, by VALUE_FEATURES."""
    seen = one.seen
    wording = [
        *seen,
        seen.help - rivals.help,
        seen.name - rivals.other_name,
        seen.help - rivals.other_help,
    ]
    return [
        *wording,
        *_kinds(one, slot),
        *_vocabulary(statement, one, slot),
        *_paths(statement, one, slot),
        *_slot(one, slot),
    ]


def _kinds(one: Candidate, slot: Slot) -> list[float]:
    """The kinds of the value and of the slot, and how far a number is from the usual one."""
    mention, option = one.mention, slot.option
    amount = number(mention.value.split(",")[0]) if mention.kind in {"number", "name"} else None
    usual = slot.usual_number
    usual = None if usual is not None and amount is not None and usual < 0 < amount else usual  # -1 means "not set"
    same = alphanumeric(mention.value)
    share, shares = amount is not None and 0 < abs(amount) < 1, usual is not None and 0 < abs(usual) < 1
    both = amount is not None and usual is not None
    return [
        float(mention.kind == "number"),
        float(amount is not None and amount == amount.to_integral_value()),
        *(float(mention.kind == kind) for kind in ("path", "name", "text", "word")),
        float(bool(mention.parts)),
        float(mention.kind == "absence"),
        float(option.type == "int"),
        float(option.type == "float"),
        float(slot.closed),
        _magnitude(amount, usual),
        float(amount is not None and usual is None),
        float(bool(same) and alphanumeric(option.default or "") == same),
        float(both and share and shares),
        float(both and share != shares and usual not in {0.0, 1.0}),
        float(mention.percent),
    ]


def _magnitude(amount: Decimal | None, usual: float | None) -> float:
    """Orders of magnitude between a number and a usual one, four at most; 0 where there are not both."""
    if not amount or not usual:
        return 0.0
    return min(4.0, abs(math.log10(abs(float(amount)) / abs(usual))))


def _vocabulary(statement: ParsedRequest, one: Candidate, slot: Slot) -> list[float]:
    """How well the value is one of the slot's vocabulary, how it is spelled then, and whether the help has it."""
    match, mention, value, option = one.match, one.mention, one.mention.value, slot.option
    known = [match.share, match.margin, float(match.exact)] if match is not None else [0.0] * 3
    exact = match is not None and match.exact
    wordy = mention.first != mention.last
    usual = len((option.default or "").split("," if slot.series else None))
    owed = option.required and option.default is None and not slot.vocabulary and not slot.seen
    return [
        *known,
        float(exact and slot.closed),
        float(exact and not wordy and _is_proper(statement, mention)),
        float(exact and number(value) is not None),
        float(one.ordinary),
        float(match is not None and not exact and wordy and _has_code(statement, mention)),
        float(value == option.default and mention.kind in {"path", "word"} and "." in value),
        float(owed and mention.kind in {"path", "name", "text"}),
        float(match is None and one.seen.before > _NEARLY and len(max(slot.names, key=len, default=())) > 1),
        float((slot.several or slot.series) and len(mention.parts) == usual > 1),
    ]


def _is_proper(statement: ParsedRequest, mention: Mention) -> bool:
    """Whether a word is spelled as only names are: with a digit, with capitals, or with one inside a sentence."""
    before = statement.tokens[mention.first - 1].text if mention.first else "."
    capital = mention.text[:1].isupper() and before not in {".", "!", "?"}
    return capital or re.search(r"\d|[a-z][A-Z]|[A-Z]{2}", mention.text) is not None


def _has_code(statement: ParsedRequest, mention: Mention) -> bool:
    """Whether a word of it has letters and digits: "t5" in "the t5 model for captions"."""
    said = (one.text for one in statement.tokens[mention.first : mention.last + 1] if one.kind in {"name", "word"})
    return any(re.search("[A-Za-z]", text) and re.search(r"\d", text) for text in said)


def _paths(statement: ParsedRequest, one: Candidate, slot: Slot) -> list[float]:
    """What a path is for by the words before it and by its ending, against what the slot is for."""
    mention, role, near = one.mention, slot.role, nearness(statement, one.mention)
    path = mention.kind == "path" or (mention.kind == "name" and bool(role & {"path", "output"}))
    is_path, fits = mention.kind == "path", slot.takes_path
    ways = float(path and "output" in role), float(path and bool(role & {"input", "weights", "config"}))
    kind, given = (_file_kind(mention.value), _given_kinds(slot)) if path else ("", frozenset[str]())
    suffix = PurePosixPath(mention.value).suffix
    form = "folder" if slot.name_terms & _FOLDER else "file" if "file" in slot.name_terms else ""
    weights = path and (kind == "pt" or bool(near.lead & _WEIGHTS))
    return [
        *(cue * way for cue in (near.written, near.read) for way in ways),
        float(bool(kind) and kind in given),
        float(bool(kind) and bool(given) and kind not in given),
        float(path and bool(form) and (form == "file") == bool(suffix)),
        float(path and bool(form) and (form == "file") != bool(suffix)),
        float(weights and bool(role & {"weights", "weights-help"})),
        float(weights and not role & {"weights", "weights-help"}),
        float(is_path and fits),
        float(is_path and not fits),
        float(mention.kind == "name" and fits),
        float(mention.kind == "text" and fits),
    ]


def _slot(one: Candidate, slot: Slot) -> list[float]:
    """What kind of option it is, and whether the value is spelled as what it is known to take."""
    mention, option = one.mention, slot.option
    is_name, value = mention.kind == "name", mention.value
    names = {alphanumeric(" ".join(name)) for name in slot.names}
    return [
        float(option.required),
        float(option.positional),
        min(1.0, len(slot.seen) / 3),
        float(slot.several),
        float(bool(mention.noun) and bool(set(terms(mention.noun)) & slot.name_terms)),
        _like(value, slot),
        float(is_name and _shape(value) in _shapes(slot)),
        float(is_name and _is_weak(value)),
        float(len(value) > 2 and value in _known(slot)),
        float(one.seen.name > 0.95 and len(max(slot.names, key=len, default=())) > 1),
        float(is_name and alphanumeric(value) in names),
    ]


@lru_cache(maxsize=4096)
def _known(slot: Slot) -> tuple[str, ...]:
    """Values that it is known to take, those that its help quotes among them."""
    option = slot.option
    shown = (option.default or "", *slot.seen, *option.choices[:40], *_QUOTED.findall(option.help))
    return tuple(text for text in shown if text)


def _like(value: str, slot: Slot) -> float:
    """How many pieces a value shares with one that the slot is known to take: "roberta-base", "bert-base-uncased"."""
    own = pieces_of(value)
    shares = (len(own & pieces_of(text)) / max(len(own), len(pieces_of(text)), 1) for text in _known(slot))
    return max(shares, default=0.0)


@remembered(8192)
def _shape(value: str) -> str:
    """A name with its letters and digits made one: "Walker2d-v4" and "Hopper-v1" are alike."""
    return re.sub(r"A?a+(?:A?a*0*)*", "w", re.sub(r"[A-Z]", "A", re.sub(r"[a-z]", "a", re.sub(r"\d+", "0", value))))


@lru_cache(maxsize=4096)
def _shapes(slot: Slot) -> frozenset[str]:
    return frozenset(_shape(text) for text in _known(slot) if not text.isalpha())


@lru_cache(maxsize=4096)
def _given_kinds(slot: Slot) -> frozenset[str]:
    """The kinds of files that its help text, its default and examples name."""
    shown = [slot.option.help.lower(), (slot.option.default or "").lower(), *(text.lower() for text in slot.seen)]
    return frozenset(_file_kind(word) for text in shown for word in text.split()) - {""}


def _is_weak(value: str) -> bool:
    """A word that is no certain name: no digit, no underscore, no capital but the first."""
    return not re.search(r"[\d_/]|[a-z][A-Z]|[A-Z]{2}", value)


@remembered(8192)
def _file_kind(text: str) -> str:
    suffix = PurePosixPath(text.strip("'\"`.,;()[]")).suffix.lstrip(".").lower()
    return kind_of_file(suffix) or (suffix if 1 < len(suffix) < 6 and suffix.isalpha() else "")
