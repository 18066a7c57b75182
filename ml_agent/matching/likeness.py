"""How much a value looks like the one that an example has in its place."""

import re
from collections import Counter
from collections.abc import Sequence
from operator import eq
from pathlib import PurePosixPath

from ml_agent.matching.terms import alphanumeric, kind_of_file
from ml_agent.tools.remember import remembered

_PARTS_OF_A_NAME = 3
_NAME = re.compile(r"[a-z0-9]+(?:[_.-][a-z0-9]+)*")
_PARTS = re.compile(r"[A-Za-z]+|\d+")


@remembered(20_000)
def likeness(left: str, right: str) -> float:
    """0 to 1 (-1 for files of two kinds): two names of one family ("uncased_L-12_H-768" and "cased_L-24_H-1024"), two files of one type.

    Beginnings count more than the rest, for that is how versions of one thing are named.
    """
    if not left or not right:
        return 0.0
    if alphanumeric(left) == alphanumeric(right):
        return 1.0
    first, second = _last(left), _last(right)
    one, other = _extension(first), _extension(second)
    same_type = one != "" and (kind_of_file(one) or one) == (kind_of_file(other) or other)
    if one and other and not same_type:
        return -1.0
    return max(0.7 if same_type else 0.0, _family(first, second))


def occurs_in(value: str, text: str) -> bool:
    """Whether a value stands in a text as a word or as a part of one: "512" in "city_512_x".

    A name of several parts may have others in between: "vqa_test_3b" stands in "vqa_test_eval_3b".
    """
    if re.search(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", text, re.IGNORECASE):
        return True
    parts = re.split(r"[_.-]", value.lower())
    if len(parts) < _PARTS_OF_A_NAME or not all(parts):
        return False
    return any(_follow_each_other(parts, re.split(r"[_.-]", name)) for name in _NAME.findall(text.lower()))


def _follow_each_other(parts: Sequence[str], words: Sequence[str]) -> bool:
    """Whether words come in an order, others between them."""
    left = iter(words)
    return all(part in left for part in parts)


def _family(left: str, right: str) -> float:
    one, two = _skeleton(left), _skeleton(right)
    if not one or not two or (len(one) == len(two) == 1):
        return 0.0
    prefix = [*map(eq, one, two), False].index(False)
    longest = max(len(one), len(two))
    shared = (Counter(one) & Counter(two)).total()
    return 0.5 * shared / longest + 0.5 * min(prefix / longest * 1.5, 1.0)


def _skeleton(text: str) -> list[str]:
    """The letters of a name in pieces; a number is a number, whichever."""
    return ["#" if part.isdigit() else part for part in _PARTS.findall(text.lower())]


def _last(text: str) -> str:
    return PurePosixPath(text.rstrip("/")).name or text


def _extension(text: str) -> str:
    suffix = PurePosixPath(text).suffix.lower()
    return suffix if re.fullmatch(r"\.[a-z][a-z0-9]{0,9}", suffix) else ""
