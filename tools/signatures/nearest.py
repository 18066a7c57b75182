"""The most similar of known words: what was probably meant."""

import difflib
import functools
import re
from collections.abc import Iterable, Sequence

from ml_agent.tools.own_cache import remembered

_LONGEST = 300
MIN_SLIP = 4
"""Letters: shorter words are alike by chance."""


def nearest(word: str, known: Sequence[str]) -> str:
    """The most similar of the known words, "" where none is near."""
    return _nearest(word, tuple(known)) if len(word) <= _LONGEST else ""


@functools.lru_cache(512)
def _nearest(word: str, known: tuple[str, ...]) -> str:
    for other in known:
        if other.lower().replace("-", "_") == word.lower().replace("-", "_"):
            return other
    found = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if not found:
        lower = {k.lower(): k for k in known}
        found = [lower[m] for m in difflib.get_close_matches(word.lower(), list(lower), n=1, cutoff=0.6)]
    return found[0] if found else ""


def nearest_flag(flag: str, known: Iterable[str]) -> str:
    """The option that was probably meant: the same letters first, then the most similar."""
    plain = _letters(flag)
    known = list(known)
    for other in known:
        if _letters(other) == plain:
            return other
    names = {k.lstrip("-"): k for k in known}
    near = nearest(flag.lstrip("-"), list(names))
    if near:
        return names[near]
    inside = [
        k
        for k in known
        if len(plain) >= 3 and (plain in _letters(k) or (len(_letters(k)) >= 3 and _letters(k) in plain))
    ]
    return inside[0] if len(inside) == 1 else ""


def is_slip(word: str, other: str) -> bool:
    """Whether a word of some length is another one with one letter more, less, different, or two in the wrong order.

    Dashes and the like do not count.
    """
    return word != other and (_is_slip(word, other) or _is_slip(_letters(word), _letters(other)))


def _is_slip(word: str, other: str) -> bool:
    short, long = sorted((word.lower(), other.lower()), key=len)
    if len(short) == MIN_SLIP - 1 and len(long) == MIN_SLIP:
        return long.startswith(short)
    if len(short) < MIN_SLIP or len(long) - len(short) > 1 or short == long:
        return _letters(word) == _letters(other)
    at = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[:at] + short[at : at + 2][::-1] + short[at + 2 :]
    return swapped == long or short[at + 1 :] == long[at + 1 :]


@remembered(20_000)
def _letters(flag: str) -> str:
    return re.sub(r"[^a-z0-9]", "", flag.lower())
