"""Values of hydra's command lines: sweeps over several, lists, functions, texts in quotes."""

import fnmatch
import re
from collections.abc import Sequence

GROUP = "group"
"""The converter of an option that chooses a file."""
CONFIGURATION = "config-name"
"""The option of hydra itself that chooses the configuration."""
GROUPS = "configuration groups"
"""The name under which a command line's choices of files are told to whoever reads the signature again."""
_FUNCTION = re.compile(r"\s*(\w+)\((.*)\)\s*", re.DOTALL)
_OPENING, _CLOSING = "([{", ")]}"


def parts(value: str) -> list[str]:
    """A value at its commas, but for those in brackets and quotes; a sweep has more than one part."""
    found, depth, quote, at = [""], 0, "", 0
    while at < len(value):
        letter = value[at]
        if letter == "\\":
            found[-1] += value[at : at + 2]
            at += 2
            continue
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        depth += (letter in _OPENING) - (letter in _CLOSING) if not quote else 0
        if letter == "," and not depth and not quote:
            found.append("")
        else:
            found[-1] += letter
        at += 1
    return [part.strip() for part in found]


def is_sweep(value: str) -> bool:
    """Whether hydra tries several values: `a,b`, `choice(...)`, `range(...)`, `interval(...)`, `glob(...)`."""
    match = _FUNCTION.fullmatch(value)
    return len(parts(value)) > 1 or (match is not None and match[1] in ("choice", "range", "interval", "glob"))


def is_plain(value: str) -> bool:
    """Whether a value is one word or number, and neither a list, a table, a function, in quotes, nor nothing."""
    stripped = value.strip()
    return (
        stripped not in ("", "null")
        and stripped[0] not in "[{'\""
        and not _FUNCTION.fullmatch(stripped)
        and "${" not in stripped
    )


def single_values(value: str) -> list[str]:
    """The values in a sweep or a list that are plain, to be looked at one by one."""
    match = _FUNCTION.fullmatch(value)
    if match is not None:
        return [part for part in parts(match[2]) if is_plain(part)] if match[1] == "choice" else []
    return [part for part in parts(value) if is_plain(part)]


def choices_in(value: str, known: Sequence[str]) -> list[str | list[str] | None]:
    """What a value says about a group: one choice, or each of a sweep; a list of choices is one of them."""
    match = _FUNCTION.fullmatch(value)
    if match is not None and match[1] == "glob":
        return list(fnmatch.filter(known, match[2].split(",")[0].strip()))
    if match is not None and match[1] == "choice":
        value = match[2]
    found: list[str | list[str] | None] = []
    for part in parts(value):
        if part.startswith("[") and part.endswith("]"):
            found.append([p for p in parts(part[1:-1]) if p])
        else:
            found.append(None if part == "null" else part.strip("'\""))
    return found
