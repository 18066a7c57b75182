"""Whether bash can read a text: bashlex, kept from running for ever."""

import functools
import re
import shlex
from collections.abc import Sequence
from typing import Any

from ml_agent.tools.commandline.lexer import Token

_WORD = r"""(?:[\w./:=,@%+~-]|\$\w+|\$\{\w+\}|"[^"$`\\!]*"|'[^']*')++"""
_COMMAND = rf"{_WORD}(?:[ \t]+{_WORD})*+"
_PLAIN = re.compile(rf"{_COMMAND}(?:[ \t]*(?:&&|\|\|?|;|\n+)[ \t]*{_COMMAND})*+")
"""Commands of plain words one after another: every shell reads them."""
_GRAMMAR = frozenset(
    [
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "for",
        "in",
        "do",
        "done",
        "while",
        "until",
        "case",
        "esac",
        "select",
        "function",
        "time",
        "coproc",
    ]
)
"""Words that mean something to the shell itself where a command begins."""


def refused(tokens: Sequence[Token]) -> str:
    """Why bash cannot read a text; "" where it can, or where only bashlex cannot."""
    text = "".join(_plain(token) for token in tokens).strip()
    if not text or is_plain(text):
        return ""
    try:
        bash_trees(text)
    except Exception as error:  # noqa: BLE001 - bashlex raises many kinds, also AttributeError and NotImplementedError
        message = " ".join(str(error).split())[:200] or type(error).__name__
        return _bash_refuses(text, message)
    return ""


def is_plain(text: str) -> bool:
    """Whether a text is nothing but commands of plain words: bash reads it, and bashlex (a tenth of a second) need not be asked."""
    return _PLAIN.fullmatch(text) is not None and _GRAMMAR.isdisjoint(text.split())


def _plain(token: Token) -> str:
    """A token without continued lines and prompts; comments are left out, bashlex stumbles over some."""
    if token.kind == "comment":
        return ""
    return (" " if token.gap else "") + token.raw.replace("\\\n", "").replace("\r", "")


def _bash_refuses(text: str, message: str) -> str:
    """bashlex knows less than bash: only what no shell would read is an error."""
    try:
        shlex.split(text)
    except ValueError as error:
        return str(error)
    return message if re.search(r"unexpected (?:token|EOF)", message) and not _beyond_bashlex(text) else ""


def _beyond_bashlex(text: str) -> bool:
    """Constructs of bash that bashlex does not read."""
    return bool(re.search(r"\(\(|\[\[|\bcase\b|\bselect\b|=\(|<<|\bfunction\b|\bcoproc\b|\$\(\(", text))


def bash_trees(text: str) -> list[Any]:
    """The syntax trees of bash text. Raises what bashlex raises: ParsingError and many others."""
    import bashlex  # builds its tables when it is imported

    _mend()
    return list(bashlex.parse(text))


@functools.cache
def _mend() -> None:
    """Make bashlex refuse a `${` that nothing closes (`echo '${ a'`).

    It takes the place of the brace, -1, for the end, begins the word anew and fills the memory.
    """
    import bashlex.errors
    import bashlex.subst

    expand = bashlex.subst._paramexpand

    def forward(parser: Any, text: str, start: int) -> Any:
        node, end = expand(parser, text, start)
        if end <= start:
            raise bashlex.errors.ParsingError("bad substitution: no closing brace", text, start)
        return node, end

    bashlex.subst._paramexpand = forward
