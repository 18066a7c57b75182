"""Single words of a command line: their conversion to an option's type, and how many each argument takes."""

import ast
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from ml_agent.tools.signatures.model import Option

NO_CASE = "choice without case"
"""Marks, as a converter, choices that are compared without case."""
KEY_VALUE = "key=value"
"""Marks, as a converter, words that are split at their first `=` and must have one (DictAction of MMEngine and MMCV)."""
WHOLE_FLOAT = "int of float"
"""Marks, as a converter, whole numbers that are read as a float first: `lambda word: int(float(word))`."""
SAME_TYPE = "literal of the type of its default"
"""Marks, as a converter, words that are read as Python literals, and refused where that is of another type."""
PARSERS: dict[str, Callable[[str], Any]] = {"json.loads": json.loads, "ast.literal_eval": ast.literal_eval}
"""Converters that refuse a word which they cannot parse."""
NEGATIVE_NUMBER = re.compile(r"^-\d+$|^-\d*\.\d+$")
"""What argparse takes for a negative number and not for an option (before Python 3.14)."""
TRUE = frozenset({"true", "t", "yes", "y", "1", "on"})
FALSE = frozenset({"false", "f", "no", "n", "0", "off"})


def convert(option: Option, word: str) -> tuple[Any, bool]:
    """A word as the option's type, and whether it could be converted."""
    kind = option.type
    if option.converter == KEY_VALUE:
        return word, "=" in word
    if option.converter == SAME_TYPE:
        return _literal(word, kind)
    if option.converter in PARSERS:
        return word, _parses(PARSERS[option.converter], word)
    if option.converter == "yaml":
        return _yaml_word(option, word)
    if kind == "int":
        return _number((lambda text: int(float(text))) if option.converter == WHOLE_FLOAT else int, word)
    if kind == "float":
        return _number(float, word)
    if kind == "bool":
        return _truth(option, word)
    return word, True


def _number(make: Callable[[str], float], word: str) -> tuple[Any, bool]:
    try:
        return make(word), True
    except (ValueError, OverflowError):
        return word, False


def _parses(parse: Callable[[str], Any], word: str) -> bool:
    try:
        parse(word)
    except (SyntaxError, ValueError):
        return False
    except (RecursionError, MemoryError):  # too deep for this program
        return True
    return True


def _literal(word: str, kind: str) -> tuple[Any, bool]:
    """A word as the Python literal that it is, else as text, and whether that is of a type."""
    try:
        value = ast.literal_eval(word)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        value = word
    return value, type(value).__name__ == kind or kind not in ("int", "float", "bool", "str")


def _yaml_word(option: Option, word: str) -> tuple[Any, bool]:
    """A setting of a configuration file may be given another type; a number stays one where it can."""
    made = {"int": int, "float": float}.get(option.type)
    if option.type == "bool":
        return (word.lower() == "true", True) if word.lower() in ("true", "false") else (word, True)
    return (_number(made, word)[0], True) if made is not None else (word, True)


def _truth(option: Option, word: str) -> tuple[Any, bool]:
    """argparse's `type=bool` takes every word, and only the empty one is false."""
    if option.converter == "bool" and option.nargs != "?bool" and option.switch_value is None:
        return bool(word), True
    lower = word.lower()
    if lower in TRUE:
        return True, True
    return (False, True) if lower in FALSE else (word, option.converter not in ("", "bool"))


def written(option: Option, value: Any) -> str:
    """A value as it is typed for an option."""
    if isinstance(value, bool):
        if option.converter == "bool" and option.nargs != "?bool" and option.switch_value is None:
            return "True" if value else ""
        return str(value)
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    whole = isinstance(value, int) and option.converter == SAME_TYPE and option.type == "float"
    return str(float(value) if whole else value)


def match_places(nargs: Sequence[str | None], kinds: str, *, optional: bool = False) -> list[int]:
    """How many words each of some arguments takes, as argparse decides it; shorter where the later ones get none.

    Args:
        nargs: of each argument in order.
        kinds: one letter a word: A for a value, O for an option, - for a double dash.
        optional: for an option's own values, which a double dash ends.
    """
    for count in range(len(nargs), 0, -1):
        found = re.match("".join(_pattern(n, optional) for n in nargs[:count]), kinds)
        if found is not None:
            return [len(group) for group in found.groups()]
    return []


def _pattern(nargs: str | None, optional: bool) -> str:
    if nargs == "0":
        return "()"
    if nargs is None:
        pattern = "(-*A-*)"
    elif nargs in ("?", "?bool"):
        pattern = "(-*A?-*)"
    elif nargs == "*":
        pattern = "(-*[A-]*)"
    elif nargs == "+":
        pattern = "(-*A[A-]*)"
    elif nargs == "...":
        return "([-AOU]*)"
    elif nargs == "A...":
        return "(-*A[-AOU]*)"
    else:
        pattern = "(-*" + "-*".join("A" * int(nargs)) + "-*)" if nargs.isdigit() else "(-*A-*)"
    return pattern.replace("-*", "").replace("[A-]", "A") if optional else pattern
