"""Variables that a request says are there: "there is a graph called G", "on arrays X and Y", "my `frame`"."""

import re
from collections.abc import Sequence

import msgspec

from ml_agent.tools.findings import Finding

_UNDEFINED = "undefined-name"
_NAMED = r"(?:called|named|variables?|arrays?|objects?)"
_SHORT = 2
"""Letters of a name that is no ordinary word of a sentence where code could have it: `X`, `df`."""


def without_given(findings: Sequence[Finding], instruction: str) -> list[Finding]:
    """The findings, names that the user says are there as warnings: code for his own script goes on with them.

    Args:
        findings: of a check.
        instruction: the user's own sentence.
    """
    return [
        msgspec.structs.replace(one, severity="warning")
        if one.code == _UNDEFINED and is_given(one.subject, instruction)
        else one
        for one in findings
    ]


def is_given(name: str, instruction: str) -> bool:
    """Whether a sentence speaks of a variable: its name is spelled as no plain word is, set as code, or introduced as a name."""
    if not name:
        return False
    word = re.escape(name)
    plain = name.isalpha() and name.islower() and len(name) > _SHORT
    introduced = rf"[`'\"]{word}[`'\"]|\b{_NAMED}\s+{word}(?!\w)"
    return re.search(introduced if plain else rf"(?<![\w./-]){word}(?![\w/-])(?!\.\w)", instruction) is not None
