"""Words with and without their quotes."""

import re
import shlex

_AS_IT_IS = re.compile(r"^[\w./+:@%=,~^{}-]+$")
_WITH_VARIABLE = re.compile(r"^[\w@%+=:,./~{}-]*(?:\$(?:\w+|\{\w+\})[\w@%+=:,./{}-]*)+$")
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")
"""What bash expands: {a,b} and {1..3}."""


def quote(word: str) -> str:
    """A word for a shell; references to variables and a path below the home folder stay alive, everything else is literal."""
    plain = _WITH_VARIABLE.match(word) or (_AS_IT_IS.match(word) and (word.startswith("~/") or word[0] != "~"))
    return word if plain and not _BRACES.search(word) else shlex.quote(word)


def unquote(word: str) -> str:
    """A word as the program gets it; variables and substitutions are left as they are written."""
    if not set("'\"\\").intersection(word):
        return word
    found: list[str] = []
    at = 0
    while at < len(word):
        letter = word[at]
        if letter in "'\"" and word.find(letter, at + 1) > 0:
            text, at = _read_quotes(word, at)
            found.append(text)
        elif letter == "\\" and at + 1 < len(word):
            found.append("" if word[at + 1] == "\n" else word[at + 1])
            at += 2
        else:
            found.append(letter)
            at += 1
    return "".join(found)


def _read_quotes(word: str, at: int) -> tuple[str, int]:
    """The text of the quotes that open at a place, and the place behind them."""
    mark = word[at]
    found: list[str] = []
    at += 1
    while at < len(word) and word[at] != mark:
        if mark == '"' and word[at] == "\\" and at + 1 < len(word) and word[at + 1] in '"\\$`\n':
            at += 1
            found.append("" if word[at] == "\n" else word[at])
        else:
            found.append(word[at])
        at += 1
    return "".join(found), at + 1
