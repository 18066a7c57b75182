"""Numbers as people write them: "300,000", "1e-4", "two", "half a million", "10k"."""

import re
from decimal import Decimal, InvalidOperation

from ml_agent.tools.remember import remembered

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SMALL = {word: value for value, word in enumerate(_UNITS.split())}
SMALL |= {word: 20 + 10 * place for place, word in enumerate(_TENS.split())}
"""The words for numbers below a hundred, but for those of two words."""
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_COUNTED = SMALL.keys() | _SCALES.keys()
_SUFFIXES = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000}

_WORD = "|".join(sorted([*SMALL, *_SCALES], key=len, reverse=True))
_MORE = "|".join(sorted([*(SMALL.keys() - {"zero"}), *_SCALES], key=len, reverse=True))
"""What goes on with a number: "one hundred and zero" are two."""
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\.\d+|\d+"
WORDED = re.compile(
    rf"(?<!/)\b(?:half\s+a(?:n)?|a\s+quarter\s+of\s+a|an?|{_WORD})"
    rf"(?:(?:\s+|-|(?<=hundred)\s+and\s+|(?<=thousand)\s+and\s+|(?<=million)\s+and\s+)(?:{_MORE}))*\b(?!/[\w.])",
    re.IGNORECASE,
)
DIGITED = re.compile(
    rf"(?P<sign>(?<![\w.)])[-+])?(?P<digits>{_DIGITS})(?P<exponent>[eE][-+]?\d+|\s*[x×*]\s*10\s*\^\s*-?\d+)?"
    rf"(?P<scale>\s+(?:hundred|thousand|million|billion)\b|[kKMB](?![\w-]))?(?P<percent>\s?%|\s+per\s?cent\b)?"
)

_MOST_DIGITS, _MOST_OF_A_POWER = 30, 3
"""Characters of a number with which is reckoned, and of its power of ten: nobody counts further."""


def plain_number(number: Decimal) -> str:
    """A number as it would be typed: without an exponent, a trailing zero kept only where it was written."""
    if number == number.to_integral_value() and number.as_tuple().exponent >= 0:  # type: ignore[operator]
        return str(int(number))
    return format(number, "f")


def from_digits(match: re.Match[str]) -> str | None:
    """The value of a match of `DIGITED`; digits that need no arithmetic are kept as the user wrote them."""
    digits = match["digits"].replace(",", "")
    sign = "-" if match["sign"] == "-" else ""
    exponent, scale = match["exponent"], match["scale"]
    if exponent and exponent[0] in "eE" and not scale:
        return f"{sign}{digits}{exponent}"
    if not exponent and not scale:
        return f"{sign}{'0' if digits.startswith('.') else ''}{digits}"
    power = re.sub(r"^[eE]|^.*\^\s*", "", exponent or "0")
    if len(digits) > _MOST_DIGITS or len(power) > _MOST_OF_A_POWER:
        return None
    number = Decimal(digits) * Decimal(10) ** int(power)
    if scale:
        key = scale.strip().lower()
        number *= _SCALES.get(key) or _SUFFIXES[key]
    return sign + plain_number(number.normalize() if number == number.to_integral_value() else number)


def from_words(text: str) -> str | None:
    """The value of words that count; None where one of them counts nothing ("a", "an")."""
    words = [word for word in re.split(r"[\s-]+", text.lower()) if word not in {"and", "of"}]
    factor = Decimal(1)
    if words[:1] == ["half"]:
        factor, words = Decimal("0.5"), words[1:]
    elif words[:2] == ["a", "quarter"]:
        factor, words = Decimal("0.25"), words[2:]
    if words and words[0] in {"a", "an"}:
        words = words[1:]
        if not words or words[0] not in _SCALES:
            return None
    if not words or not _COUNTED.issuperset(words):
        return None
    return plain_number((factor * _sum(words)).normalize() + 0)


def _sum(words: list[str]) -> Decimal:
    total, group = 0, 0
    for word in words:
        if word in SMALL:
            group += SMALL[word]
        elif word in {"hundred", "dozen"}:
            group = (group or 1) * _SCALES[word]
        else:
            total += (group or 1) * _SCALES[word]
            group = 0
    return Decimal(total + group)


_QUANTITY = re.compile(r"(?P<digits>\d+(?:\.\d+)?)(?P<unit>[kKMGTB]|[kKMGT]i?[bB]|ms|s|m|min|h|px|k?Hz|dB|bps|kbps|%)")


@remembered(20_000)
def quantity(text: str) -> tuple[Decimal, str] | None:
    """The amount of a number with its unit right behind it, and that unit as it is written: "128k" is 128000 and "k"."""
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        return None
    return Decimal(match["digits"]) * _SUFFIXES.get(match["unit"].lower(), 1), match["unit"]


@remembered(20_000)
def number(text: str) -> Decimal | None:
    """The number that `text` is, or None."""
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def same_number(left: str, right: str) -> bool:
    """Whether two texts are the same number: "1e-4" and "0.0001"."""
    a, b = number(left), number(right)
    return a is not None and a == b
