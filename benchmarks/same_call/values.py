"""When two values are the same (numbers as numbers, paths as paths, lists as lists, tables as tables), and what a verdict says."""

import ast
import json
import math
import posixpath
import re
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

NUMBER = re.compile(r"[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$")
NEAR = 1e-9
WORDS = {"true": True, "false": False, "none": None, "null": None}


def same(first: Any, second: Any) -> bool:
    """Whether two values say the same; what is not known here agrees with everything."""
    if is_unknown(first) or is_unknown(second):
        return True
    one, other = plain(first), plain(second)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list) != isinstance(other, list):  # a list of one value is that value
        many, single = (one, other) if isinstance(one, list) else (other, one)
        return len(many) == 1 and same(many[0], single)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other or (_number(one) == _number(other) and _number(one) in (0, 1))
    if _number(one) is not None and _number(other) is not None:
        return math.isclose(_number(one) or 0.0, _number(other) or 0.0, rel_tol=NEAR)
    return bool(one == other)


class Folders(NamedTuple):
    """Where the two programs ran that are compared."""

    root: Path
    """Of the repository."""
    first: str
    """Relative to it, as the next."""
    second: str

    def places(self, first: str, second: str) -> tuple[Path, Path]:
        """Where two relative paths lead, each from its own folder."""
        return Path(self.root, self.first, first), Path(self.root, self.second, second)


def same_place(first: Any, second: Any, folders: Folders) -> bool:
    """Whether two values are paths, or lists of them, that lead to the same place of the repository, each from its own folder."""
    if isinstance(first, list) and isinstance(second, list):
        pairs = list(zip(first, second, strict=False))
        return len(first) == len(second) and all(same(a, b) or same_place(a, b, folders) for a, b in pairs)
    if not (isinstance(first, str) and isinstance(second, str)) or not first.strip() or not second.strip():
        return False
    one, other = map(posixpath.normpath, folders.places(first, second))
    return one == other and "://" not in first + second


def leads_elsewhere(first: Any, second: Any, folders: Folders) -> bool:
    """Whether a value names something of the repository that is not there from the folder of the second program."""
    if isinstance(first, list) and isinstance(second, list):
        return any(leads_elsewhere(a, b, folders) for a, b in zip(first, second, strict=False))
    if not (isinstance(first, str) and isinstance(second, str)) or folders.first == folders.second:
        return False
    try:
        there = bool(first) and folders.places(first, second)[0].exists()
    except (OSError, ValueError):  # text that can be no path names none
        return False
    return there and not same_place(first, second, folders)


def is_unknown(value: Any) -> bool:
    """Whether a value is the mark of something that is not known here."""
    return isinstance(value, dict) and value.keys() == {"?"}


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def plain(value: Any) -> Any:
    """A value in the one form in which it is compared: text that is a number, a list, a table or a path becomes that."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if NUMBER.match(text):
        return float(text.replace("_", ""))
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if len(text) > 1 and text[0] in "[{(" and text[-1] in "]})":
        return _literal(text)
    if "/" not in text or "://" in text or re.search(r"\s", text):
        return re.sub(r"\s*([,=\[\](){}:])\s*", r"\1", text) if re.search(r"[\[({=]", text) else text
    return posixpath.normpath(text).replace("//", "/")


def _literal(text: str) -> Any:
    """A list or table as it is written in Python, JSON or on hydra's command line."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return list(value) if isinstance(value, tuple) else value
    if text[0] in "[(" and not re.search(r"[\[({]", text[1:]):
        return [part.strip().strip("'\"") for part in text[1:-1].split(",") if part.strip()]
    return re.sub(r"\s+", "", text).replace('"', "'")


ReasonClass = Literal[
    "", "wrong entry", "missing", "other value", "unasked", "refused", "not the kind", "no answer", "no reference"
]
"""Why an answer is not the same call; "" where it is. "no reference": the row's own reference cannot be read."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an answer makes the call of the reference."""

    passed: bool
    reason_class: ReasonClass = ""
    detail: str = ""
    """What exactly: the option with both values, the parser's message."""


GOOD = Verdict(passed=True)


def failed(reason: ReasonClass, detail: str) -> Verdict:
    """A verdict against an answer."""
    return Verdict(passed=False, reason_class=reason, detail=detail[:500])
