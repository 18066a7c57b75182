"""What help texts say an option must be for what the user named: "should be True for uncased models and False for cased models"."""

import re
from collections.abc import Sequence

from ml_agent.grounded.ledger import Match
from ml_agent.request import Value
from tools.signatures.model import Option

_ADVICE = re.compile(r"\b(true|false)\s+(?:for|if|when|with)\s+(?:an?\s+|the\s+)?([a-z][\w-]{2,})", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")


def advised(options: Sequence[Option], matches: Sequence[Match], values: Sequence[Value]) -> tuple[Match, ...]:
    """Booleans that follow from the names in the instruction, by the options' own help."""
    taken = {found.option.dest for found in matches}
    named = [
        (value, set(_WORD.findall(value.value.lower())))
        for value in values
        if value.kind in {"name", "path"} and value.required
    ]
    found = []
    for option in options:
        if option.dest in taken or not (option.type == "bool" or option.nargs == "?bool"):
            continue
        for truth, word in _ADVICE.findall(option.help):
            value = next((value for value, words in named if word.lower() in words), None)
            if value is not None:
                found.append(Match(value=value, option=option, score=0.0, typed=truth.lower()))
                break
    return tuple(found)
