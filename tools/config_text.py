"""Configuration files of others, TOML and INI: what is made to be long or deep takes no time and no memory."""

import configparser
import re
import tomllib
from typing import Any

_MOST_DOTS = 1000
"""In a key: tomllib keeps every beginning of a dotted one, which grows with the square of its parts."""
_BETWEEN = re.compile(r"[,=\[\]{}\n]")
"""What ends a key: numbers in a list are none."""
_BLANKS = re.compile(r"(?<=\S)[^\S\n]{2,}")
"""configparser looks at a row of them once for each of its places."""


def read_toml(text: str) -> dict[str, Any]:
    """The table of a text. Raises ValueError where it is no TOML, or has numbers or keys that nobody writes."""
    if any(part.count(".") > _MOST_DOTS for part in _BETWEEN.split(text)):
        raise ValueError(f"a key with more than {_MOST_DOTS} dots")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def read_ini(text: str) -> configparser.RawConfigParser:
    """The sections of a text, where rows of blanks are one. Raises configparser.Error where it has none."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(_BLANKS.sub(" ", text))
    return parser
