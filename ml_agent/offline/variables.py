"""Shell variables of the documentation ("$MODEL_DIR/config.json"): filled with what the user named, else as documented."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import eq
from pathlib import PurePosixPath

from ml_agent.offline.reading import Mention
from ml_agent.offline.words import alphanumeric, kind_of_file
from ml_agent.tools.own_cache import remembered

_ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*?);?\s*$", re.DOTALL)
_REFERENCE = re.compile(r"\$\{([A-Za-z_]\w*|\d+)\}|\$([A-Za-z_]\w*|\d)")
_ALWAYS = frozenset({"PWD", "HOME", "USER"})
"""Variables that every shell has."""
_PARTS = re.compile(r"[A-Za-z]+|\d+")
_ALIKE = 0.3
_DEEPEST, _LONGEST = 5, 4_000


def documented_variables(setup: Iterable[str]) -> dict[str, str]:
    """The variables that assignments set, later ones winning; quotes are taken off."""
    found: dict[str, str] = {}
    for line in setup:
        if match := _ASSIGNMENT.match(line[:_LONGEST]):
            found[match[1]] = match[2].strip().strip("'\"")
    return found


def references(text: str) -> tuple[str, ...]:
    """The variables that a text refers to, each once, but for those that every shell has."""
    names = dict.fromkeys(match[1] or match[2] for match in _REFERENCE.finditer(text[:_LONGEST]))
    return tuple(name for name in names if name not in _ALWAYS)


def variable_values(known: Mapping[str, str], mentions: Sequence[Mention]) -> dict[str, str]:
    """What to put for each variable: the path or name of the request that looks most like its documented value, else that."""
    return {name: _bound_to(text, mentions) for name, text in known.items()}


def _bound_to(known: str, mentions: Sequence[Mention]) -> str:
    fitting = [(likeness(one.value, known), one.value) for one in mentions if one.kind in {"path", "name"}]
    alike, chosen = max(fitting, default=(0.0, ""))
    if alike <= _ALIKE:
        return known
    return f"./{chosen}" if "/" in known and "/" not in chosen else chosen.rstrip("/")


def expand(text: str, values: Mapping[str, str]) -> str:
    """A text with its variables filled in; one without a value is left alone, and so is what would grow without end."""
    for _ in range(_DEEPEST):
        filled = _REFERENCE.sub(lambda match: values.get(match[1] or match[2], "") or match[0], text[:_LONGEST])
        if filled == text or len(filled) > _LONGEST:
            break
        text = filled
    return text


@remembered(20_000)
def likeness(left: str, right: str) -> float:
    """How much two names look alike, 0 to 1: "uncased_L-12_H-768" and "cased_L-24_H-1024", two files of one type; -1 for files of two."""
    if alphanumeric(left) == alphanumeric(right):
        return 1.0 if left else 0.0
    first, second = (PurePosixPath(text.rstrip("/")).name or text for text in (left, right))
    one, other = (_extension(text) for text in (first, second))
    if one and other and (kind_of_file(one) or one) != (kind_of_file(other) or other):
        return -1.0
    return max(0.7 if one and other else 0.0, _family(_skeleton(first), _skeleton(second)))


def _family(one: Sequence[str], two: Sequence[str]) -> float:
    """Beginnings count more than the rest, for that is how versions of one thing are named."""
    if not one or not two or len(one) == len(two) == 1:
        return 0.0
    prefix = [*map(eq, one, two), False].index(False)
    longest = max(len(one), len(two))
    shared = (Counter(one) & Counter(two)).total()
    return 0.5 * shared / longest + 0.5 * min(prefix / longest * 1.5, 1.0)


def _skeleton(text: str) -> list[str]:
    """The letters of a name in pieces; a number is a number, whichever."""
    return ["#" if part.isdigit() else part for part in _PARTS.findall(text.lower())]


def _extension(text: str) -> str:
    suffix = PurePosixPath(text).suffix.lower()
    return suffix if re.fullmatch(r"\.[a-z][a-z0-9]{0,9}", suffix) else ""
