"""Stretches of a request that are read as one value before words are: numbers in words, shares, ranges, sizes, file names."""

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

import msgspec

from ml_agent.values.guarded import GuardedPattern
from ml_agent.values.lexer import Token, tokenize
from ml_agent.values.numbers import SMALL, from_words, number, plain_number
from ml_agent.values.quoted_paths import quoted_paths


class Reading(NamedTuple):
    """A stretch of the text, and the value that it states."""

    start: int
    end: int
    value: str
    kind: str
    """number, quoted, path or word: the kind of token that it becomes."""


_UNIT_WORD = f"(?:{'|'.join(SMALL)})"
_SCALE_WORD = r"(?:hundred|thousand|million)"
_NO_SHARE = r"(?!(?:ten|hundred)-(?:thousandth|millionth))"
_FIRST = rf"{_NO_SHARE}(?:minus\s+)?(?:half(?:\s+an?(?=\s+{_SCALE_WORD}))?|an?|{_UNIT_WORD}|{_SCALE_WORD})(?![A-Za-z])"
_NEXT = rf"{_NO_SHARE}(?:{_UNIT_WORD}|{_SCALE_WORD})(?![A-Za-z])"
"""An article, a half and a sign begin a number: "eight hundred and a fifth" are two."""
_RUN = rf"{_FIRST}(?:(?:[\s-]+|(?<=hundred)\s+and\s+|(?<=thousand)\s+and\s+|(?<=million)\s+and\s+){_NEXT}){{0,12}}"
_RAISED_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_SUPERSCRIPT = r"⁻?[⁰¹²³⁴-⁹]{1,2}"
_POWER = GuardedPattern(
    rf"(?P<digits>{_RUN}|(?<!\d)\d+(?:\.\d+)?)(?:\s+times\s+ten|\s*[x×*]\s*10(?!\d))\s*(?:to\s+the(?:\s+power\s+of)?|\^)?\s*(?P<exponent>minus\s+\w+|-?\d+|{_SUPERSCRIPT})",
    "ten",
    "10",
)
_TEN_TO = GuardedPattern(
    r"\b(?:ten|10)\s+to\s+the(?:\s+power\s+of)?\s+(?P<exponent>minus\s+\w+|-?\d+)(?!\w)", "ten", "10"
)
_RAISED = re.compile(
    r"(?<![\w.^*-])(?P<base>10|2)(?:\s?(?:\^|\*\*)\s?(?P<exponent>-?\d{1,2})(?![\w^*]|\.\d)"
    rf"|(?P<raised>{_SUPERSCRIPT}))"
)
_NOTHING = frozenset({"nought", "naught"})
_DIGIT_WORDS = {"nought": 0, "naught": 0, "zero": 0, "oh": 0} | {word: n for word, n in SMALL.items() if 0 < n < 10}
_DIGIT = "|".join(_DIGIT_WORDS)
_POINT = GuardedPattern(rf"\b(?P<whole>nought|naught|{_RUN})\s+point(?P<digits>(?:[\s-]+(?:{_DIGIT})(?!\w))+)", "point")
_SHARES = {
    "half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "twelfth": 12, "sixteenth": 16, "twentieth": 20, "fiftieth": 50, "hundredth": 100,
    "fourth": 4, "thousandth": 1000, "ten-thousandth": 10_000, "hundred-thousandth": 100_000, "millionth": 1_000_000,
}  # fmt: skip
_PARTS = "|".join(sorted((p for p in _SHARES if p != "half"), key=len, reverse=True))
_SHARE = GuardedPattern(rf"\b(?P<count>{_RUN})[\s-]+(?<!ty-)(?P<part>{_PARTS})s?\b|\bone\s+(?P<half>half)\b", *_SHARES)
_SHARE_OF = GuardedPattern(
    rf"\b(?:(?P<count>{_RUN})\s+)?(?:(?:last|first)\s+)?(?P<part>half|{_PARTS})s?(?=\s+of\b(?!\s+an?\s+{_SCALE_WORD}))",
    *_SHARES,
)
_AND_HALF = GuardedPattern(rf"\b(?P<whole>{_RUN})\s+and\s+a\s+(?P<part>half|quarter)\b", "half", "quarter")
_ONE_IN = GuardedPattern(
    rf"\bone(?!\s+(?:gpu|cpu|tpu|card|device|node)\b)(?:\s+[a-z]+){{0,2}}\s+(?:in|out\s+of)\s+(?:every\s+)?(?P<count>{_UNIT_WORD}|hundred|\d+)\b(?![\s-]+bits?\b)",
    "one",
)
_PERCENT = GuardedPattern(
    rf"\b(?P<count>{_RUN}|\d+(?:\.\d+)?)\s*+(?:percent|per\s+cent)\b|(?<![\w.])(?P<digits>\d+(?:\.\d+)?)\s?%",
    "cent",
    "%",
)
_MINUS = GuardedPattern(rf"\bminus\s+(?P<count>{_RUN}|\d+(?:\.\d+)?)\b", "minus")
_SIZE = re.compile(r"(?<![\w/.-])\d+[x×]\d+(?:[x×]\d+)?(?![\w/])", re.IGNORECASE)
_RANGE = re.compile(
    r"(?<![\w/.@-])\d+-\d+(?:,\d+(?:-\d+)?)*(?![\w/-])|(?<![\w/.-])\d+(?:,\d+(?:-\d+)?)*,\d+-\d+(?![\w/-])"
)
_UNIT = re.compile(
    r"(?<![\w/.-])(?P<digits>\d+(?:\.\d+)?)(?P<unit>px|s|ms|kb|mb|gb|fps|hz|bit|dpi|th|st|nd|rd)\b", re.IGNORECASE
)
_ADDRESS = re.compile(r"(?<![\w./])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?![\w.]*\d)")
_GROUPED = re.compile(r"(?<![\w.])(?<!\d )(?P<digits>\d{1,3}(?: \d{3})* 000)(?![\d\w]| \d)")
"""Thousands with blanks between: "10 000"; "64 128 256" are three numbers."""
_ORDINALS = {
    "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "twelfth": 12, "fifteenth": 15, "twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60,
    "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
_EVERY = GuardedPattern(
    rf"(?<=every )(?:(?P<count>{_UNIT_WORD})(?:[\s-]))?(?P<part>{'|'.join(_ORDINALS)})\b(?!-)", "every "
)
_COMPOUND = GuardedPattern(
    r"\b(?:twen|thir|for|fif|six|seven|eigh|nine)ty[\s-](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)\b",
    "ty",
)
"""Which one it is, and not how many: "the twenty-eighth round" states no twenty."""
_PRONOUN = GuardedPattern(r"(?:(?<=\bwhen )|(?<=\bif )|(?<=\bwhere )|(?<=\bhow ))one(?= [a-z]+s\b)", " one ")
"""Somebody, and no number: "what happens when one moves along it"."""
_KILOHERTZ = re.compile(r"(?<![\w/.-])(?P<digits>\d{1,9}(?:\.\d{1,9})?)[ -]?kHz\b", re.IGNORECASE)
"""Programs count in hertz: "44.1 kHz" is 44100."""
_FILE = re.compile(r"(?<![\w\u0300-\u036f/.@$~-])[A-Za-z]\w[\w-]*(?:\.\w+)*\.[a-z]{2,8}(?![\w/(-])(?!\.\w)")
_GLOB = re.compile(r"(?<![\w/.*-])(?:[A-Za-z][\w-]{0,80})?\*[\w-]{0,80}(?:\.[A-Za-z]\w*)+(?![\w/*])")
"""Files by a pattern: "checkpoint-2*.pth.tar"."""
_TIMES = {"once": "1", "twice": "2", "thrice": "3"}
_COUNT_WORD = re.compile(
    r"\b(?:once|twice|thrice)\b(?!\s+(?:as|the|its|their|that|it|all|this|you|I|we|again)\b)", re.IGNORECASE
)
_HALF = re.compile(r"(?<=\bby )half\b|(?<=\bto )half\b|\bhalf(?=\s*[,.;])", re.IGNORECASE)


def parse_number(text: str) -> Decimal | None:
    """A number in words or digits."""
    cleaned = text.strip().translate(_RAISED_DIGITS)
    sign = -1 if cleaned.lower().startswith("minus") else 1
    cleaned = re.sub(r"(?i)^minus\s+", "", cleaned)
    if (digits := number(cleaned)) is not None:
        return sign * digits
    if cleaned.lower() in {"a", "an"}:
        return Decimal(sign)
    in_words = from_words(cleaned)
    return None if in_words is None else sign * Decimal(in_words)


def _power(match: re.Match[str]) -> str | None:
    factor, exponent = parse_number(match.groupdict().get("digits", "1")), parse_number(match["exponent"])
    if factor is None or exponent is None or abs(exponent) > _MOST_DIGITS:
        return None
    return f"{plain_number(factor.normalize())}e{int(exponent)}"


def _power_in_signs(match: re.Match[str]) -> str | None:
    exponent = int((match["exponent"] or match["raised"]).translate(_RAISED_DIGITS))
    if match["base"] == "10":
        return f"1e{exponent}" if abs(exponent) <= _MOST_DIGITS else None
    return str(2**exponent) if 0 <= exponent <= _MOST_DIGITS else None


def _point(match: re.Match[str]) -> str | None:
    said = match["whole"].lower()
    whole = Decimal(0) if said in _NOTHING else None if said in {"a", "an"} else parse_number(said)
    digits = "".join(str(_DIGIT_WORDS[word]) for word in re.split(r"[\s-]+", match["digits"].strip(" -").lower()))
    if whole is None or whole != whole.to_integral_value():
        return None
    return f"{plain_number(whole)}.{digits}"


def _share(match: re.Match[str]) -> str | None:
    said = match.groupdict()
    if said.get("half"):
        return "0.5"
    count = parse_number(said["count"] or "one")
    return None if count is None else _decimal(count / _SHARES[said["part"].lower()])


def _decimal(value: Decimal) -> str:
    return format(value.quantize(Decimal("0.0000001")).normalize(), "f")


def _mixed_number(match: re.Match[str]) -> str | None:
    whole = parse_number(match["whole"])
    return None if whole is None else _decimal(whole + Decimal(1) / _SHARES[match["part"].lower()])


def _one_in(match: re.Match[str]) -> str | None:
    count = parse_number(match["count"])
    return None if not count else _decimal(Decimal(1) / count)


def _percent(match: re.Match[str]) -> str | None:
    count = parse_number(match["count"] or match["digits"])
    return None if count is None else _decimal(count)


def _negative(match: re.Match[str]) -> str | None:
    count = parse_number(match["count"])
    return None if count is None else _decimal(-count)


def _every(match: re.Match[str]) -> str:
    count, part = parse_number(match["count"] or "zero") or Decimal(0), _ORDINALS[match["part"].lower()]
    return str(int(count) * part if part >= _HUNDRED and count else int(count) + part)


_HUNDRED = 100
_MOST_DIGITS = 30
_Read = Callable[[re.Match[str]], str | None]
_READERS: tuple[tuple[re.Pattern[str] | GuardedPattern, _Read, str], ...] = (
    (_POINT, _point, ""), (_POWER, _power, ""), (_TEN_TO, _power, ""), (_RAISED, _power_in_signs, ""), (_AND_HALF, _mixed_number, ""), (_EVERY, _every, ""),
    (_SHARE, _share, ""), (_SHARE_OF, _share, ""),
    (_ONE_IN, _one_in, ""), (_PERCENT, _percent, ""), (_MINUS, _negative, ""),
    (_COMPOUND, lambda match: match[0], "word"),
    (_ADDRESS, lambda match: match[0], ""), (_SIZE, lambda match: re.sub("[X×]", "x", match[0]), ""), (_RANGE, lambda match: match[0], ""),
    (_PRONOUN, lambda match: match[0], "word"), (_KILOHERTZ, lambda match: plain_number((1000 * Decimal(match["digits"])).normalize()), ""), (_UNIT, lambda match: match["digits"], ""), (_GROUPED, lambda match: match[0].replace(" ", ""), ""),
    (_COUNT_WORD, lambda match: _TIMES[match[0].lower()], ""), (_HALF, lambda match: "0.5", ""),
    (_GLOB, lambda match: match[0], "path"), (_FILE, lambda match: match[0], "path"),
)  # fmt: skip


def readings(text: str) -> Iterator[Reading]:
    """Stretches that are read as one value, before words are; the first reading of a stretch counts."""
    taken: list[tuple[int, int]] = []
    quoted = [match.span() for match in re.finditer(r"\"[^\"\n]{1,300}\"|(?<!\w)'[^'\n]{1,300}'(?!\w)", text)]
    quoted += [(token.start, token.end) for token in quoted_paths(text)]
    for pattern, read, kind in _READERS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < b and a < end for a, b in (*taken, *quoted)):
                continue
            value = read(match)
            if value is not None:
                taken.append((start, end))
                yield Reading(start, end, value, kind or ("number" if number(value) is not None else "quoted"))


_CODE = re.compile(
    r"`(?P<body>\s*-[^`\n]*|[A-Za-z_][\w.]*=[^`\n]*|[A-Za-z](?=\w{0,80}[._])[\w.]{1,120}+ [^\s`]{1,80})`"
)


_MINUS_SIGNS = str.maketrans("\u2010\u2011\u2212", "---")
_DASH = re.compile(r"(?<=\d)[\u2012\u2013](?=\d)|(?<![\w\u2013])\u2013(?=\d)")
"""A dash for a minus or a range, as papers print them."""


def normal_text(text: str) -> str:
    """The text as it is read, as long as it was: hyphens and minus signs are typed ones, and marks around options and settings set as code are blanks.

    "`--lr 3e-4`", "`SOLVER.BASE_LR 0.1`"; where one ends, its value ends.
    """
    typed = _DASH.sub("-", text.translate(_MINUS_SIGNS))
    return _CODE.sub(lambda match: f" {match['body']}{';' if ' ' in match['body'].strip() else ' '}", typed)


def tokens_of(text: str) -> list[Token]:
    """The text as tokens; numbers in words, shares, powers, ranges and sizes are one token each."""
    found: list[Token] = []
    at = 0
    for start, end, value, kind in sorted(readings(text)):
        found += _shift(tokenize(text[at:start]), at)
        said = text[start:end]
        written = not any(letter.isdigit() for letter in said)
        found.append(Token(kind=kind, text=said, value=value, start=start, end=end, written=written))  # type: ignore[arg-type]
        at = end
    return [*found, *_shift(tokenize(text[at:]), at)]


def _shift(tokens: Sequence[Token], by: int) -> list[Token]:
    return [msgspec.structs.replace(one, start=one.start + by, end=one.end + by) for one in tokens]
