"""Numbers as people write them: "300,000", "1e-4", "10k", "half a million", "two and a half"."""

import re
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from ml_agent.tools.own_cache import remembered

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_SMALL = {word: amount for amount, word in enumerate(_UNITS.split())}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL |= {word: 20 + 10 * place for place, word in enumerate(_TENS.split())}
_SMALL |= {"nought": 0, "naught": 0}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_SUFFIXES = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000}
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "eighth": 8, "tenth": 10, "hundredth": 100, "thousandth": 1000}
_COUNT = "|".join(sorted([*_SMALL, *_SCALES], key=len, reverse=True))
_RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
_LOWERED = str.maketrans(_RAISED, "-0123456789")
_DIGITED = re.compile(
    r"(?P<sign>(?<![\w.)])[-+])?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?: \d{3})* 000(?![\d\w])|\d+\.\d+|\.\d+|\d+)"
    rf"(?P<power>[eE][-+]?\d+|\s*[x×*]\s*10\s*(?:\^\s*-?\d+|[{_RAISED}]{{1,3}}))?"
    r"(?P<scale>\s+(?:hundred|thousand|million|billion)\b|[kKMB](?![\w-]))?"
    r"(?P<unit>\s?%|\s+per\s?cent\b|(?i:\s?kHz\b|(?:px|ms|s|[kmg]b|fps|hz|bit|dpi|th|st|nd|rd)\b))?"
)
_POWER = re.compile(rf"(?<![\w.^*-])(10|2)(?:\s?(?:\^|\*\*)\s?(-?\d{{1,2}})(?![\w^*]|\.\d)|([{_RAISED}]{{1,3}}))")
_WORDED = re.compile(
    rf"(?P<sign>minus\s+)?(?P<count>half\s+an?\s+(?=hundred|thousand|million|billion|dozen)|an?\s+(?=hundred|thousand|million|billion|dozen))?"
    rf"(?P<words>(?:{_COUNT})(?:(?:\s+|-|(?<=hundred)\s+and\s+|(?<=thousand)\s+and\s+)(?:{_COUNT}))*)\b(?!/)",
    re.IGNORECASE,
)
_PART = re.compile(rf"[\s-]+(?P<part>{'|'.join(_PARTS)})s?\b", re.IGNORECASE)
_AND_HALF = re.compile(r"\s+and\s+a\s+(?P<part>half|quarter)\b", re.IGNORECASE)
_ORDINAL = re.compile(r"-(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)\b", re.IGNORECASE)
_PERCENT = re.compile(r"\s+per\s?cent\b", re.IGNORECASE)
_MOST_DIGITS = 30
"""Characters of a number with which is reckoned: nobody counts further."""


@remembered(20_000)
def number(text: str) -> Decimal | None:
    """The number that a text is as it would be typed; None where it is none."""
    try:
        amount = Decimal(text.strip())
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def same_number(left: str, right: str) -> bool:
    """Whether two texts are the same number: "1e-4" and "0.0001"."""
    amount = number(left)
    return amount is not None and amount == number(right)


def plain_number(amount: Decimal) -> str:
    """A number as it would be typed, without an exponent."""
    return str(int(amount)) if amount == amount.to_integral_value() else format(amount.normalize(), "f")


class ReadNumber(NamedTuple):
    """A number that a text holds, as it would be typed, and where it ends."""

    value: str
    end: int


def digits_at(text: str, at: int) -> ReadNumber | None:
    """The number in digits that begins at a place; None where none does."""
    if found := _POWER.match(text, at):
        power = int((found[2] or found[3]).translate(_LOWERED))
        return ReadNumber(f"1e{power}" if found[1] == "10" else plain_number(Decimal(2) ** power), found.end())
    if found := _DIGITED.match(text, at):
        value = _from_digits(found)
        return ReadNumber(value, found.end()) if value is not None else None
    return None


def _from_digits(found: re.Match[str]) -> str | None:
    """What digits stand for; without arithmetic they stay as they are written."""
    digits = re.sub(r"[, ]", "", found["digits"])
    text = ("-" if found["sign"] == "-" else "") + ("0" if digits.startswith(".") else "") + digits
    power, scale = re.sub(r"^[eE]|^.*?10\s*\^?\s*", "", (found["power"] or "").translate(_LOWERED)), found["scale"]
    hertz = "khz" in (found["unit"] or "").lower()
    if power and not (scale or hertz):
        return f"{text}e{power}"
    if not (scale or hertz):
        return text
    if len(digits) > _MOST_DIGITS or len(power) > 3:
        return None
    factor = 1000 if hertz else _SCALES.get(scale.strip().lower()) or _SUFFIXES[scale.strip().lower()]
    return plain_number(Decimal(text) * Decimal(10) ** int(power or 0) * factor)


def _from_words(words: str) -> Decimal:
    """What words that count add up to: "one hundred and two"."""
    total = group = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in _SMALL:
            group += _SMALL[word]
        elif word in ("hundred", "dozen"):
            group = (group or 1) * _SCALES[word]
        elif word in _SCALES:
            total, group = total + (group or 1) * _SCALES[word], 0
    return Decimal(total + group)


def words_at(text: str, at: int) -> ReadNumber | None:
    """The number in words that begins at a place; None where none does."""
    found = _WORDED.match(text, at)
    if found is None or _ORDINAL.match(text, found.end()):
        return None
    amount, end = _from_words(found["words"]), found.end()
    amount *= Decimal("0.5") if (found["count"] or "").lower().startswith("half") else 1
    amount *= -1 if found["sign"] else 1
    if half := _AND_HALF.match(text, end):
        amount, end = amount + Decimal("0.5" if half["part"].lower() == "half" else "0.25"), half.end()
    elif part := _PART.match(text, end):
        amount, end = (amount / _PARTS[part["part"].lower()]).quantize(Decimal("0.0000001")), part.end()
    if percent := _PERCENT.match(text, end):
        end = percent.end()
    return ReadNumber(plain_number(amount), end)


def is_number(text: str) -> bool:
    """Whether Python reads a text as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
