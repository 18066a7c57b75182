"""Shell variables of the documentation ("$MODEL_DIR/config.json"): filled with what the user named, else as documented."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from ml_agent.matching.likeness import likeness
from ml_agent.matching.mention import Mention

_ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*?);?\s*$", re.DOTALL)
_REFERENCE = re.compile(r"\$\{([A-Za-z_]\w*|\d+)\}|\$([A-Za-z_]\w*|\d)")
_HERE = re.compile(r"\$\(pwd\)|`pwd`")
_ALWAYS = frozenset({"PWD", "HOME", "USER"})
"""Variables that every shell has."""
_ALIKE = 0.3
_DEEPEST = 5
_LONGEST = 4_000


def documented_variables(setup: Iterable[str]) -> dict[str, str]:
    """The variables that assignments set, later ones winning; quotes are taken off."""
    found: dict[str, str] = {}
    for line in setup:
        if match := _ASSIGNMENT.match(line[:_LONGEST]):
            found[match[1]] = match[2].strip().strip("'\"")
    return found


def variable_values(known: Mapping[str, str], mentions: Sequence[Mention]) -> dict[str, str]:
    """What to put for each variable: the path or name of the request that looks most like its documented value, else that.

    A variable stands for what differs from user to user, and two names of one family say the same thing of it.

    Args:
        known: documented values by variable.
        mentions: what the request states.
    """
    return {name: _bound_to(text, mentions) for name, text in known.items()}


def _bound_to(known: str, mentions: Sequence[Mention]) -> str:
    fitting = [(likeness(one.value, known), one.whole, one.value) for one in mentions if one.kind in {"path", "name"}]
    alike, _, chosen = max(fitting, default=(0.0, False, ""))
    if alike <= _ALIKE:
        return known
    return f"./{chosen}" if "/" in known and "/" not in chosen else chosen.rstrip("/")


def references(text: str) -> tuple[str, ...]:
    """The variables that a text refers to, each once, but for those that every shell has."""
    names = dict.fromkeys(match[1] or match[2] for match in _REFERENCE.finditer(text[:_LONGEST]))
    return tuple(name for name in names if name not in _ALWAYS)


def with_variables(text: str) -> str:
    """A documented command that names its folder by a variable instead of asking for it: `$(pwd)/x` is `$PWD/x`."""
    return _HERE.sub("$PWD", text)


def _fill_reference(match: re.Match[str], values: Mapping[str, str]) -> str:
    """What stands for a reference: behind a slash the name of a path alone, for a path within a path leads nowhere."""
    value = values.get(match[1] or match[2], "")
    inside = match.string[: match.start()].endswith("/") and "/" in value
    return (PurePosixPath(value).stem if inside else value) or match[0]


def expand(text: str, values: Mapping[str, str]) -> str:
    """A text with its variables filled in; one without a value is left alone, and so is what would grow without end."""
    for _ in range(_DEEPEST):
        if len(text) > _LONGEST:
            break
        filled = _REFERENCE.sub(lambda match: _fill_reference(match, values), text)
        if filled == text or len(filled) > _LONGEST:
            break
        text = filled
    return text
