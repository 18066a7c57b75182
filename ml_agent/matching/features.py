"""What speaks for a value in a slot: small functions of the wording and of the slot."""

import itertools
import math
import re
from decimal import Decimal
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.matching.evidence import Evidence, Nearness, nearness
from ml_agent.matching.meanings import VocabularyMatch, pieces_of
from ml_agent.matching.mentions import Mention, ParsedRequest
from ml_agent.matching.slots import Slot
from ml_agent.matching.terms import alphanumeric, kind_of_file, terms
from ml_agent.tools.remember import remembered
from ml_agent.values.lexicon import words
from ml_agent.values.numbers import number

_TOWARD = frozenset({"to", "into", "under", "below", "as"})
_FROM = frozenset({"from", "in", "on", "of", "with", "at"})
_VAGUE = frozenset({"about", "roughly", "approximately", "some", "nearly", "almost"})
_INTRODUCING = frozenset(["called", "named", "name", "prefix", "entitled", "titled"])


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
    "name_alone", "help_alone", "next_help", "lead_help", "approximate", "within",
)  # fmt: skip


class CompetingEvidence(NamedTuple):
    """What is said for other slots by a value, and by other values for a slot: the most of each."""

    name: float
    help: float
    competing_name: float
    competing_help: float


def features(
    statement: ParsedRequest,
    mention: Mention,
    slot: Slot,
    seen: Evidence,
    others: CompetingEvidence,
    entry: VocabularyMatch | None,
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
    amount = number(mention.value.split(",")[0]) if mention.kind in {"number", "name"} else None
    path = mention.kind == "path" or (mention.kind == "name" and bool({"path", "output"} & slot.role))
    case = _Case(statement, mention, slot, seen, others, entry, amount, _usual_amount(amount, slot), path)
    return [
        *_wording_features(case), *_type_features(case), *_in_vocabulary(case), *_as_path(case),
        *_of_file_kind(case), *_as_option(case), *_as_name(case), *_in_words(case),
        *_by_kind(mention, slot), *_by_size(case),
        seen.name - others.competing_name, seen.help - others.competing_help, *_beside(case),
    ]  # fmt: skip


class _Case(NamedTuple):
    """One mention in one slot, and what is looked up for several features."""

    statement: ParsedRequest
    mention: Mention
    slot: Slot
    seen: Evidence
    others: CompetingEvidence
    entry: VocabularyMatch | None
    amount: Decimal | None
    """Of a number; of a name that begins with one."""
    usual: float | None
    """The default with which it may be compared."""
    path: bool
    """Whether it is a path, or a name in a slot for one."""

    @property
    def near(self) -> Nearness:
        """How near each term of the request stands."""
        return nearness(self.statement, self.mention)


def _wording_features(case: _Case) -> list[float]:
    """How the words around the value say the slot, and how much more than others."""
    seen, others = case.seen, case.others
    return [
        seen.name, seen.name_before, seen.name_after, seen.name_best, seen.name_said, seen.head, seen.lead, seen.next,
        seen.help, seen.prose, seen.name - others.name, seen.help - others.help,
    ]  # fmt: skip


def _type_features(case: _Case) -> list[float]:
    """The kinds of the value and of the slot, and how far a number is from the default."""
    mention, slot, amount = case.mention, case.slot, case.amount
    option, default = slot.option, case.usual
    kinds = [float(mention.kind == kind) for kind in ("path", "name", "text", "factor", "word")]
    return [
        float(mention.kind == "number"), float(amount is not None and amount == amount.to_integral_value()),
        *kinds, float(bool(mention.parts)),
        float(option.type == "int"), float(option.type == "float"), float(option.type == "path" or "path" in slot.role),
        float(bool(option.choices or option.accepted)),
        float(amount is not None and option.type in {"str", "unknown"} and default is None),
        _magnitude(amount, default), float(amount is not None and default is None),
        float(option.default is not None and alphanumeric(option.default) == alphanumeric(mention.value) and bool(alphanumeric(mention.value))),
    ]  # fmt: skip


def _usual_amount(amount: Decimal | None, slot: Slot) -> float | None:
    """The default that a number may be compared with; None for a mark of "not set", as -1 is for a count."""
    default = slot.numeric_default
    unset = default is not None and amount is not None and default < 0 < amount
    return None if unset else default


def _magnitude(amount: Decimal | None, default: float | None) -> float:
    """Orders of magnitude between a number and a default, four at most; 0 where there are not both."""
    if not amount or not default:
        return 0.0
    return min(4.0, abs(math.log10(abs(float(amount)) / abs(default))))


def _in_vocabulary(case: _Case) -> list[float]:
    """How well the value is an entry of the slot's vocabulary, and whether the help has it."""
    entry, value = case.entry, case.mention.value
    extent = min(3.0, math.log10(1 + len(case.slot.vocabulary)))
    known = [entry.strength, entry.margin, float(entry.exact), extent] if entry else [0.0] * 4
    return [*known, float(len(value) > 2 and value.lower() in case.slot.option.help.lower())]


def _as_path(case: _Case) -> list[float]:
    """Whether words of writing or reading stand before a path, by what the slot is for."""
    role, path = case.slot.role, float(case.path)
    ways = float("output" in role), float(bool({"input", "weights", "config"} & role))
    return [path * cue * way for cue in case.near.cues for way in ways]


def _of_file_kind(case: _Case) -> list[float]:
    """Whether weights, settings and files of a kind meet a slot for them."""
    mention, slot, role, lead = case.mention, case.slot, case.slot.role, case.near.lead
    if not case.path:
        return [0.0] * 8
    kind, given = _file_kind(mention.value), _given_kinds(slot)
    weights = kind == "pt" or bool(lead & frozenset(terms("checkpoint weight network model")))
    config = kind == "yaml" or bool(lead & frozenset(terms("configuration config")))
    for_weights = bool({"weights", "weights-help"} & role)
    return [
        float(weights and for_weights), float(weights and not for_weights),
        float(config and bool({"config", "config-help"} & role)), float(config != ("config" in role)),
        float(bool(kind) and kind in given), float(bool(kind) and bool(given) and kind not in given),
        *_form_features(_suffix(mention.value), slot),
    ]  # fmt: skip


@lru_cache(maxsize=4096)
def _given_kinds(slot: Slot) -> frozenset[str]:
    """The kinds of files that its help text, its default and examples name."""
    shown = [slot.option.help.lower(), (slot.option.default or "").lower(), *(text.lower() for text in slot.seen)]
    return frozenset(_file_kind(word) for text in shown for word in text.split()) - {""}


def _as_option(case: _Case) -> list[float]:
    """What kind of option it is, beside a share of a hundred."""
    slot, option = case.slot, case.slot.option
    longest = max((len(name) for name in slot.names), default=0)
    return [
        float(option.required), float(option.positional), min(1.0, len(slot.seen) / 3),
        float(case.mention.percent), float(longest), float(slot.several),
    ]  # fmt: skip


def _as_name(case: _Case) -> list[float]:
    """Whether the value, its own terms or its noun are the slot's name, and what it looks like."""
    mention, slot, seen, own = case.mention, case.slot, case.seen, case.near.own
    is_name, noun = mention.kind == "name", set(terms(mention.noun))
    folder = bool(noun & frozenset(terms("folder directory")))
    return [
        float(is_name and alphanumeric(mention.value) in {alphanumeric(" ".join(name)) for name in slot.names}),
        seen.own, float(len(own & slot.help_terms)) / (1 + len(own)),
        float(bool(mention.noun) and bool(noun & slot.name_terms)),
        float(case.path and folder == (_suffix(mention.value) == "")),
        float("output" in slot.role), 1.0 - seen.name_said,
        _like(mention.value, slot), float(is_name and _is_of_a_kind(mention.value, slot)),
        float(is_name and _is_weak(mention.value)),
        float(len(mention.value) > 2 and mention.value in _known_values(slot)),
    ]  # fmt: skip


def _in_words(case: _Case) -> list[float]:
    """Where prepositions point, and what absences and introductions say."""
    mention, slot, path = case.mention, case.slot, case.path
    absent = mention.kind == "absence"
    introduced = mention.kind in {"name", "path"} and _is_introduced(case.statement, mention)
    called = any("name" in name or "prefix" in name for name in slot.names)
    direction, output = _direction(case.statement, mention), "output" in slot.role
    return [
        *(float(path and direction == way and output == kind) for way in ("toward", "from") for kind in (True, False)),
        float(mention.text.lower() in {"one", "single"} and not case.seen.next),
        float(path and slot.direction == "input"), float(introduced), float(introduced and called),
        float(absent), float(absent) * case.seen.next, float(mention.whole), float(absent and slot.closed),
    ]  # fmt: skip


def _beside(case: _Case) -> list[float]:
    """Whether the words right behind and right before the value stand in the help; whether it is but
    approximate, for who sets a value knows it, and whether the slot is a setting within another option."""
    near, helped = case.near, case.slot.help_terms
    before = case.statement.tokens[max(0, case.mention.first - 1) : case.mention.first]
    vague = case.mention.kind == "number" and any(token.value.lower() in _VAGUE for token in before)
    within = float(bool(case.slot.option.within))
    return [float(bool(near.next & helped)), float(bool(near.lead & helped)), float(vague), within]


def _by_kind(mention: Mention, slot: Slot) -> list[float]:
    """Whether a path meets a slot for paths, and what is no path one that is for something else."""
    path, fits = mention.kind == "path", slot.takes_path
    bare = slot.option.type in {"str", "path", "unknown"} and not slot.option.help and slot.option.default in {None, ""}
    return [
        float(path and fits), float(path and not fits), float(mention.kind == "name" and fits),
        float(mention.kind == "text" and fits), float(path and not fits and bare),
    ]  # fmt: skip


def _by_size(case: _Case) -> list[float]:
    """Whether a default of 0 tells nothing of a number's size, and whether both or only one of them are shares of a whole."""
    amount, default = case.amount, case.usual
    if amount is None or default is None:
        return [0.0, 0.0, 0.0]
    share, shares = 0 < abs(float(amount)) < 1, 0 < abs(default) < 1
    return [float(default == 0), float(share and shares), float(share != shares and default not in {0.0, 1.0})]


_QUOTED = re.compile(r"['\"`]([^'\"`\s]{2,40})['\"`]")


@lru_cache(maxsize=4096)
def _known_values(slot: Slot) -> tuple[str, ...]:
    """Values that it is known to take, those that its help quotes among them: "output resolution (e.g. '512x512')"."""
    option = slot.option
    quoted = _QUOTED.findall(option.help)
    return tuple(text for text in (option.default or "", *slot.seen, *option.choices[:40], *quoted) if text)


def _like(value: str, slot: Slot) -> float:
    """How many pieces a name shares with values that the slot is known to take: "roberta-base", "bert-base-uncased"."""
    if _is_of_a_family(value, slot):
        return 1.0
    own = pieces_of(value)
    return max(
        (len(own & pieces_of(text)) / max(len(own), len(pieces_of(text)), 1) for text in _known_values(slot)),
        default=0.0,
    )


@lru_cache(maxsize=4096)
def _direction(statement: ParsedRequest, mention: Mention) -> str:
    """Where the nearest preposition before a value points: "toward" it, "from" it, or nowhere."""
    for place in range(mention.first - 1, max(-1, mention.first - 6), -1):
        word = statement.tokens[place].value.lower()
        if word in _TOWARD or word in _FROM:
            return "toward" if word in _TOWARD or _is_put(statement, place) else "from"
        if statement.tokens[place].kind != "word":
            break
    return ""


def _is_put(statement: ParsedRequest, place: int) -> bool:
    """Whether a word of writing stands shortly before a preposition: "put it in", "save the result in"."""
    before = itertools.takewhile(
        lambda token: token.kind == "word", reversed(statement.tokens[max(0, place - 4) : place])
    )
    return any(token.value.lower() in words("writing") for token in before)


def _form_features(suffix: str, slot: Slot) -> tuple[float, float]:
    """Whether a path with an ending meets a slot for a file and one without a slot for a folder, as the source or the name says."""
    form = slot.form or ("folder" if any("directory" in name for name in slot.names) else "")
    form = form or ("file" if any("file" in name for name in slot.names) else "")
    if not form:
        return 0.0, 0.0
    fits = (form == "file") == bool(suffix)
    return float(fits), float(not fits)


def _is_introduced(statement: ParsedRequest, mention: Mention) -> bool:
    """Whether a word such as "called" stands right before a value."""
    before = statement.tokens[max(0, mention.first - 3) : mention.first]
    return any(token.value.lower() in _INTRODUCING for token in before)


@remembered(8192)
def _shape(value: str) -> str:
    """A name with its letters and digits made one: "Walker2d-v4" and "Hopper-v1" are alike."""
    return re.sub(r"A?a+(?:A?a*0*)*", "w", re.sub(r"[A-Z]", "A", re.sub(r"[a-z]", "a", re.sub(r"\d+", "0", value))))


@lru_cache(maxsize=4096)
def _shapes(slot: Slot) -> frozenset[str]:
    return frozenset(_shape(text) for text in _known_values(slot) if not text.isalpha())


def is_written_alike(value: str, slot: Slot) -> bool:
    """Whether a name that is spelled as only names are has the same form as a value that the slot is known to take."""
    return not _is_weak(value) and bool(re.search(r"\d", value)) and _is_of_a_kind(value, slot)


def _is_of_a_kind(value: str, slot: Slot) -> bool:
    """Whether a name has the form of a known value, or is one of its family."""
    return _shape(value) in _shapes(slot) or _is_of_a_family(value, slot)


def _is_of_a_family(value: str, slot: Slot) -> bool:
    """Whether a name differs from a known value in its numbers alone."""
    return bool(re.search(r"\d", value)) and _without_digits(value) in map(_without_digits, _known_values(slot))


def _without_digits(value: str) -> str:
    """A name with its numbers made one: "ResNet-101" and "resnet50" are of one family."""
    return re.sub(r"\d+", "0", alphanumeric(value)) if value[:1].isalpha() else value


def _is_weak(value: str) -> bool:
    """A word that is no certain name: no digit, no underscore, no capital but the first."""
    return not re.search(r"[\d_/]|[a-z][A-Z]|[A-Z]{2}", value)


@remembered(8192)
def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix


@remembered(8192)
def _file_kind(text: str) -> str:
    suffix = PurePosixPath(text.strip("'\"`.,;()[]")).suffix.lstrip(".").lower()
    return kind_of_file(suffix) or (suffix if 1 < len(suffix) < 6 and suffix.isalpha() else "")
