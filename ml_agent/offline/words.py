"""Names and wordings reduced to common terms: "num_train_epochs" and "training epochs" meet in "train epoch"."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from ml_agent.tools.own_cache import remembered

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLURAL = re.compile(r"(?<=[A-Z]{2})s(?![A-Za-z])")
_PIECE = re.compile(r"[a-z]+\d*|\d+")
_COUNT = re.compile(r"n([b-df-hj-np-tv-z][a-z]{3,})s")
"""A count with its "n" glued on, "nthreads": hardly an English word begins with "n" and another consonant."""
_ENDINGS = ("ations", "ation", "ings", "ing", "ions", "ion", "ed", "es", "s")
_KEPT = frozenset(
    ["loss", "class", "bias", "process", "focus", "this", "species", "series", "less", "cross", "pass", "mass", "gas"]
)
_SPELLINGS = (
    (re.compile(r"(?<=[a-z]{3})is(?=(?:e[sdr]?|ers|ing|ations?)$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})our(?=(?:s|ed|ing|ful)?$)"), "or"),
    (re.compile(r"^grey(?=s|ed|scale|$)"), "gray"),
    (re.compile(r"(?<=[a-z]{3}[aeiou])ll(?=ed$|ing$|s?$)"), "l"),
    (re.compile(r"(?<=[a-z]{3}ic)al(?:ly)?$"), ""),
    (re.compile(r"(?<=[a-z]{4}[^l])ly$"), ""),
)
"""British and American spelling and adverbs, made one: "normalised" and "normalize", "colour" and "color"."""
_NOT_PLAIN = re.compile(r"[^a-z0-9]")


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def words(kind: str) -> frozenset[str]:
    """The words that `words.toml` lists under a name."""
    return frozenset(_data()[kind].split())


@cache
def _stands_for() -> dict[str, str]:
    table: dict[str, str] = {}
    for group in _data()["same"]["groups"]:
        first, *rest = group.split()
        for word in rest:
            table.setdefault(_stem(word), _stem(first))
    return table


@cache
def _weights() -> dict[str, float]:
    return {canonical(word): weight for word, weight in _data()["weight"].items()}


def weight(term: str) -> float:
    """How much a term in the name of an option says about it, 0 to 1."""
    return _weights().get(term, 1.0)


def kind_of_file(extension: str) -> str:
    """One extension for all that mean the same kind of file, "png" for ".jpg"; "" for one that is not known."""
    bare = extension.removeprefix(".").lower()
    return next((group.split()[0] for group in _data()["kinds"]["groups"] if bare in group.split()), "")


@remembered(20_000)
def terms(text: str) -> tuple[str, ...]:
    """The terms of an identifier or of a phrase, in order.

    A leading "n" is a number of things ("n_epochs"); abbreviations are spelled out, endings and synonyms made one.
    """
    found: list[str] = []
    pieces = _PIECE.findall(_CAMEL.sub(" ", _PLURAL.sub("S", text.replace("'", ""))).lower())
    for place, piece in enumerate(pieces):
        counts = piece == "n" and place == 0 and len(pieces) > 1
        found += map(canonical, ("number",) if counts else _spelled_out(piece).split())
    return tuple(found)


def _spelled_out(piece: str) -> str:
    table = _data()["expand"]
    known = table.get(piece) or table.get(_stem(piece))
    counted = None if known else _COUNT.fullmatch(piece)
    return f"number {counted[1]}" if counted else str(known or piece)


@remembered(20_000)
def canonical(word: str) -> str:
    """One word for all its forms and synonyms."""
    stem = _stem(word.lower())
    return _stands_for().get(stem, stem)


@remembered(20_000)
def _stem(word: str) -> str:
    for pattern, other in _SPELLINGS:
        word = pattern.sub(other, word)
    if word in _KEPT:
        return word
    if len(word) < 5:
        return word[:-1] if len(word) == 4 and word.endswith("s") and not word.endswith("ss") else word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            stem = word[: -len(ending)]
            if ending in {"ed", "es"} and stem.endswith("i"):
                return f"{stem[:-1]}y"  # simplified, categories
            doubled = len(stem) > 4 and stem[-1] == stem[-2] and stem[-1] not in "ls"
            return stem[:-1] if doubled else _without_e(stem)
    return _without_e(word)


def _without_e(word: str) -> str:
    return word.removesuffix("e") if len(word) > 4 else word


@remembered(20_000)
def alphanumeric(text: str) -> str:
    """Letters and digits only, lower case: "Long-term forecast" and "long_term_forecast" are the same."""
    return _NOT_PLAIN.sub("", text.lower())


def telling(text: str) -> list[str]:
    """The terms of a text that say something of what it is about."""
    empty = words("stop") | words("politeness")
    return [term for word in re.findall(r"[\w+.-]+", text) if word.lower() not in empty for term in terms(word)]
