"""Where an interactive bash puts an earlier command of the user's into pasted text: `!!`, `!name`, `^old^new`."""

import re
from collections.abc import Iterator

from ml_agent.tools.check.power import PowerUse

_WORDS = re.compile(r"(\\.)|(\"(?:\\.|[^\"\\])*\")|'[^']*'|(?<![^\s;|&<>])#[^\n]*", re.DOTALL)
"""An escape, a text between double quotes, and what an interactive bash leaves alone: single quotes, comments."""
_OTHER = r"\$!(?=[\s;&|)\"]|$)|\$\{!\w{1,60}[*@]?\}|\[!(?=[^\n]{0,200}\])|\\."
"""The last background process, a name by reference, all letters but some, an escape."""
_EVENT = re.compile(rf"{_OTHER}|(!(?:!|(?![\s=]|$))\S{{0,40}})")
_EVENT_IN_QUOTES = re.compile(rf"{_OTHER}|(!(?:!|(?![\s=\"]|$))[^\s\"]{{0,40}})")
_REPLACED = re.compile(r"^\^\S{0,40}", re.MULTILINE)


def earlier_commands(text: str, sure: bool) -> Iterator[PowerUse]:
    """Each place at which bash would put in an earlier command; the rules are those of bash 5.2, `History Interaction`.

    Args:
        text: bash text.
        sure: whether quotes and comments of the text can be read exactly; where not, they hide nothing.
    """
    yield from (PowerUse("earlier-command", match[0]) for match in _REPLACED.finditer(text))
    if not sure:
        yield from _events(text, _EVENT_IN_QUOTES)
        return
    for match in _WORDS.finditer(text):
        yield from _events(match[2] or "", _EVENT_IN_QUOTES)
    outside = _WORDS.sub(lambda match: match[1] or "_" * len(match[0]), text)
    yield from _events(outside, _EVENT)


def _events(text: str, pattern: re.Pattern[str]) -> Iterator[PowerUse]:
    return (PowerUse("earlier-command", match[1]) for match in pattern.finditer(text) if match[1])
