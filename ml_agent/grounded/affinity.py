"""How well a value of the user's fits an option: by type, choices, known values, name, help and the words around it."""

import re
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from ml_agent.matching.likeness import likeness
from ml_agent.matching.terms import canonical, plain, terms, thing, weight
from ml_agent.request import Value
from ml_agent.values.lexer import is_odd
from ml_agent.values.lexicon import words
from ml_agent.values.numbers import number
from tools.signatures.model import Option

NAMED = 20.0
"""What a value is worth that the user gave by the option's own name."""
KNOWN = 3.0
"""What it is worth that the option is known to take this very value (a choice, an example)."""
ENOUGH = 1.6
"""Below this a value and an option have nothing to do with each other."""

_BY_NAME = 5.0
_BY_HELP = 1.2
_BY_PROSE = 0.8
"""What a word in the help text counts against one in the name."""
_CLAUSE = re.compile(r"[.;(]|, (?:of which|default|e\.g\.)|\bdefault\b", re.IGNORECASE)
_LONGEST_CLAUSE = 8
_LITTLE = 0.5
_BY_LIKENESS = 3.0
_ALIKE = 0.25
_BOTH_PROSE = 0.6
_NEAR, _FADE, _FAR = 1.0, 0.1, 0.3
_TELLING = 0.3
"""So much must at least one word of an option's name say, that its other words count."""
_ESSENTIAL, _UNSAID, _UNSAID_BUT_HEAD = 0.9, 0.25, 0.1
"""A word of an option's name that means much and that the user does not say speaks against the option."""
_GUESS = 0.6
_TEXTUAL = frozenset(canonical(word) for word in ("file", "path", "directory", "name", "url", "prefix"))
_FILES = frozenset(canonical(word) for word in ("path", "file", "input", "output", "directory", "checkpoint", "root"))
OUTRIGHT = 0.85
_SPOKEN = 0.24
"""So much of an option's name must be said for a number to be its value."""
_SHARES = frozenset({canonical("ratio")})
_TRUTH = frozenset({"true", "false", "yes", "no", "on", "off", "0", "1"})


class Habits(msgspec.Struct, frozen=True, kw_only=True):
    """What documents and examples show of an entry point's options."""

    values: Mapping[str, frozenset[str]] = {}
    """By option: values that examples give it."""
    used: frozenset[str] = frozenset()
    """Options that the example at hand gives."""
    present: Mapping[str, str] = {}
    """By option: what the example at hand gives it."""
    barred: frozenset[tuple[str, str]] = frozenset()
    """Values and options that must not be brought together: a check found them at fault."""


NO_HABITS = Habits()


def affinity(value: Value, option: Option, habits: Habits = NO_HABITS) -> float:
    """How well `value` fits `option`; 0 where it cannot be, or where nothing speaks for it."""
    if (value.value, option.dest) in habits.barred:
        return 0.0
    if value.name:
        return _by_given_name(value, option)
    if value.kind == "switch" or option.switch:
        return _switch(value, option)
    if not takes(option, value.value):
        return 0.0
    known = _known_value_score(value, option, habits)
    named = max(coverage(value, option), _BY_PROSE * described(value, option))
    if not known and (_is_weak(value) or _is_doubtful(value, option, named, habits)):
        return 0.0
    if _is_label(value, option):
        return 0.0
    if value.kind == "number" and named < _SPOKEN and not option.choices:
        return 0.0
    score = _BY_NAME * named + _BY_HELP * _help(value, option) + _kind(value, option)
    if named == 0.0 and not known and value.kind != "path":
        score = min(score, ENOUGH * 0.9)
    score += _as_in_example(value, option, habits) + known - _implausible(value, option, habits)
    if not value.required and not known:
        score *= _GUESS
    return score if score >= ENOUGH else 0.0


def _as_in_example(value: Value, option: Option, habits: Habits) -> float:
    """What it is worth that the example gives this option, and something like the value."""
    if option.dest not in habits.used:
        return 0.0
    present = habits.present.get(option.dest, "")
    alike = 0.0 if value.kind == "number" else likeness(value.value, present)
    if value.kind == "text" and " " in present.strip() and " " in value.value:
        alike = max(alike, _BOTH_PROSE)
    return 0.4 + _BY_LIKENESS * alike


def _implausible(value: Value, option: Option, habits: Habits) -> float:
    """What speaks against a number: an option that holds a text, a share of more than one."""
    amount = number(value.value) if value.kind == "number" else None
    if amount is None:
        return 0.0
    parts = {part for name in names(option) for part in terms(name)}
    against = 0.0
    if option.type in {"str", "unknown"} and not option.choices and not _has_numbers(option, habits):
        against += 1.5 + 3.0 * bool(parts & _TEXTUAL or option.default or habits.values.get(option.dest))
    if abs(amount) > 1 and parts & _SHARES and option.type != "int" and not is_share(value):
        against += 3.0
    return against


def _has_numbers(option: Option, habits: Habits) -> bool:
    """Whether the default or any example of an option is a number."""
    usual = [option.default or "", *habits.values.get(option.dest, ())]
    return any(number(part) is not None for text in usual for part in text.replace(",", " ").split())


def takes_several(option: Option) -> bool:
    """Whether an option takes more than one value at once."""
    return option.nargs in {"+", "*"} or ((option.nargs or "").isdigit() and option.nargs not in {"0", "1"})


def takes(option: Option, text: str) -> bool:
    """Whether an option takes a value at all: by type, choices and number of values."""
    parts = text.split()
    if option.choices and option.sure:
        return all(spelling(option, part) is not None for part in parts) or spelling(option, text) is not None
    if (
        option.nargs not in {"+", "*"}
        and not str(option.nargs or "").isdigit()
        and len(parts) > 1
        and number(parts[0]) is not None
    ):
        return False
    amounts = [number(part) for part in parts]
    numeric = bool(parts) and all(amount is not None for amount in amounts)
    if option.type == "int":
        return numeric and all(amount is not None and amount == amount.to_integral_value() for amount in amounts)
    if option.type == "float":
        return numeric
    if option.type == "bool" or option.nargs == "?bool":
        return text.lower() in _TRUTH - {"0", "1"}
    if option.type in {"unknown", "str"} and not numeric and _is_numeric(option.default):
        return False
    return not (numeric and option.type == "path")


def _is_numeric(default: str | None) -> bool:
    """Whether a default is a number or a list of numbers."""
    parts = re.split(r"[,\s]+", default or "")
    return all(number(part) is not None for part in parts)


def spelling(option: Option, text: str) -> str | None:
    """The choice that `text` means, in the option's own spelling."""
    for choice in option.choices:
        if choice == text:
            return choice
    for choice in option.choices:
        if plain(choice) == plain(text) and plain(text):
            return choice
    amount = number(text)
    return next((choice for choice in option.choices if amount is not None and number(choice) == amount), None)


def coverage(value: Value, option: Option) -> float:
    """How much of the option's name the words around the value cover, near words counting more; 0 to 1."""
    near = _near_terms(value)
    return max((_name_coverage(name, near) for name in names(option)), default=0.0)


def described(value: Value, option: Option) -> float:
    """How much of a short help text the words around the value say: "240 points" and "How many points to generate"."""
    clause = _CLAUSE.split(option.help)[0]
    parts = [part for part in dict.fromkeys(terms(clause)) if part not in words("stop")]
    if not parts or len(parts) > _LONGEST_CLAUSE or not value.words:
        return 0.0
    near = _near_terms(value)
    if not any(term in parts and weight(term) > _LITTLE for word in value.words[:3] for term in terms(word)):
        return 0.0
    total = sum(weight(part) for part in parts)
    return sum(weight(part) * near.get(part, 0.0) for part in parts) / total if total else 0.0


def _name_coverage(name: str, near: Mapping[str, float]) -> float:
    parts = terms(name)
    total = sum(weight(part) for part in parts)
    if not total:
        return 0.0
    covered = sum(weight(part) * near.get(part, 0.0) for part in parts)
    strong = max((near.get(part, 0.0) * weight(part) for part in parts), default=0.0)
    if strong < _TELLING and len(parts) > 1:
        return 0.0
    unsaid = any(weight(part) >= _ESSENTIAL and part not in near for part in parts)
    head = parts[-1]
    penalty = _UNSAID if head not in near or weight(head) < _ESSENTIAL else _UNSAID_BUT_HEAD
    return max(0.0, covered / total - penalty * unsaid)


def _near_terms(value: Value) -> Mapping[str, float]:
    """The terms of the words around a value, with how near they are; a whole number counts something, "a quarter" is a share."""
    implied = ""
    if value.kind == "number":
        implied = "number" if value.value.isdigit() else ""
        if is_share(value):
            implied = "ratio"
    return _near(value.words, implied)


@lru_cache(maxsize=4_000)
def _near(words: tuple[str, ...], implied: str) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for place, word in enumerate(words):
        worth = max(_FAR, _NEAR - _FADE * place)
        for term in terms(word):
            found[term] = max(found.get(term, 0.0), worth)
    if implied:
        found.setdefault(canonical(implied), 0.6)
    return found


@lru_cache(maxsize=20_000)
def names(option: Option) -> tuple[str, ...]:
    """The names by which an option is known, without dashes; single letters say too little unless they are all there is."""
    bare = dict.fromkeys([option.dest, *(flag.lstrip("-") for flag in option.flags)])
    longer = [name for name in bare if len(name) > 1]
    return tuple(longer or bare)


def _help(value: Value, option: Option) -> float:
    """How many of the three nearest meaningful words the help text has."""
    if not option.help or not value.words:
        return 0.0
    said = set(terms(option.help))
    nearest = [set(terms(word)) for word in value.words[:3]]
    if any("_" in word and set(terms(word)) <= said for word in value.words):
        return 1.0
    return sum(bool(word & said) for word in nearest) / len(nearest)


def _known_value_score(value: Value, option: Option, habits: Habits) -> float:
    if value.kind == "number":
        return KNOWN / 3 if option.choices else 0.0
    if option.choices and spelling(option, value.value) is not None:
        return KNOWN
    wanted = plain(value.value)
    if any(plain(seen) == wanted for seen in habits.values.get(option.dest, ())):
        return KNOWN
    if option.default is not None and plain(option.default) == wanted and wanted:
        return KNOWN * 0.8
    if value.text.islower() and not value.required:
        return 0.0
    return KNOWN * 0.7 if len(wanted) > 2 and wanted in {plain(word) for word in option.help.split()} else 0.0


def _is_weak(value: Value) -> bool:
    """A common word, or several, that may be a name: it counts only where an option is known to take it."""
    guess = value.kind == "name" and not value.required
    return guess and (" " in value.value or (value.text.islower() and not is_odd(value.value)))


def _is_label(value: Value, option: Option) -> bool:
    """ "the GPU" is no value of `--gpu-ids`: it says the option's own name."""
    said = set(terms(value.value))
    if option.choices or (option.default is not None and plain(option.default) == plain(value.value)):
        return False
    return value.kind == "name" and bool(said) and any(said <= set(terms(name)) for name in names(option))


def _is_doubtful(value: Value, option: Option, named: float, habits: Habits) -> bool:
    """A guess counts for an option of unknown values only where the wording names that option outright, or the example has its like."""
    guess = value.kind == "name" and not value.required
    return guess and named < OUTRIGHT and likeness(value.value, habits.present.get(option.dest, "")) < _ALIKE


def _kind(value: Value, option: Option) -> float:
    """What the kind of value says: a path goes where a path is wanted, a number where a number was the default."""
    parts = {part for name in names(option) for part in terms(name)}
    wants = _FILES & parts
    if value.kind == "path":
        return 1.8 if option.type == "path" or wants else (0.6 if option.positional else 0.0)
    if value.kind == "number":
        whole = value.value.isdigit()
        return (
            0.3
            if option.type == "int" or (option.type == "float" and not (whole and "." in (option.default or "")))
            else 0.0
        )
    if value.kind == "name" and (wants or option.type == "path"):
        return -2.0
    return 0.2 if option.type in {"str", "unknown"} else 0.0


def _by_given_name(value: Value, option: Option) -> float:
    wanted = value.name.replace("-", "_")
    spelled = [name.replace("-", "_") for name in names(option)] + [flag.lstrip("-") for flag in option.flags]
    if wanted in spelled:
        return NAMED
    if plain(wanted) in {plain(name) for name in spelled}:
        return NAMED * 0.9
    if any(thing(wanted) == thing(name) for name in spelled):
        return NAMED * 0.8
    return 0.0


def _switch(value: Value, option: Option) -> float:
    """A wish for or against something fits a switch of that name: all the name's words must be said."""
    if value.kind != "switch" or not (option.switch or option.nargs == "?bool" or option.type == "bool"):
        return 0.0
    said = {term for word in value.words for term in terms(word)}
    for name in names(option):
        parts = [part for part in terms(name) if weight(part) > 0.2]
        if parts and all(part in said for part in parts):
            return ENOUGH + len(parts)
    return 0.0


def called(option: Option, word: str) -> bool:
    """Whether a word is part of an option's name."""
    return canonical(word) in {term for name in names(option) for term in terms(name)}


def is_share(value: Value) -> bool:
    """ "a quarter of", "30 percent"."""
    return value.text.endswith(("%", "cent")) or ("." in value.value and not value.text[:1].isdigit())


def holds_share(option: Option) -> bool:
    usual = number(option.default or "")
    named = called(option, "share") or canonical("share") in terms(option.help)
    return named and usual is not None and 0 < usual < 1
