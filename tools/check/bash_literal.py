"""Which characters of bash text surely stand for themselves. Where that is not sure, none do: a gate had better see too much.

No grammar but bash's own reads bash in full. This one reads words, quotes, comments and plain operators exactly, and gives up
at everything that bash reads by other rules (here-documents, brackets, patterns, arithmetic) or reads a second time (eval).
"""

import re
from collections.abc import Generator, Iterator

from ml_agent.tools.commandline.lexer import lex

MASK = "'"
"""Stands in place of a character that is only itself."""
_PARAMETER = re.compile(r"\$(?:\w+|[@*#?$!-]|\{\w+\})")
NUMBERS = re.compile(r"\$\(\([\s\d+\-*/%]*\)\)")
"""Arithmetic without names: a name's value would be evaluated, too."""
_LITERAL = re.compile(r"[^\\'\"`$#<>()\[\s;|&]+")
_AGAIN = frozenset(
    [
        "eval",
        "let",
        "trap",
        "declare",
        "typeset",
        "local",
        "unset",
        "printf",
        "read",
        "test",
        "[",
        "[[",
        "alias",
        "mapfile",
        "readarray",
        "getopts",
        "wait",
        "set",
        "shopt",
        "enable",
        "complete",
        "compgen",
        "fc",
        "bind",
        "env",
        "sh",
        "bash",
        "dash",
        "zsh",
        "ksh",
        "ash",
        "su",
        "xargs",
        "find",
        "watch",
        "parallel",
        "ssh",
        "script",
    ]
)
"""Commands that evaluate their words, or whose words may be commands."""
_LATER = re.compile(r"\b(?:PS[0-4]|PROMPT_COMMAND|BASH_ENV|ENV|IFS)\+?=")
"""Variables whose text is expanded at another time."""


def exposed(text: str) -> tuple[str, bool]:
    """The text with MASK in place of all that is surely literal, and whether that is sure; else the text as it is."""
    if _LATER.search(text) or _reads_again(text):
        return text, False
    made = list(text)
    for start, end in _literals(text):
        if end < 0:
            return text, False
        made[start:end] = MASK * (end - start)
    return "".join(made), True


def _reads_again(text: str) -> bool:
    words = {token.value.rpartition("/")[2] for token in lex(text) if token.kind == "word"}
    return not _AGAIN.isdisjoint(words) or not _AGAIN.isdisjoint(re.sub(r"['\"\\]", "", text).split())


def _literals(text: str) -> Iterator[tuple[int, int]]:
    """Where characters stand that are only themselves; an end of -1 says that the text cannot be read further."""
    at, fresh = 0, True  # fresh: a word begins here, and so may a comment
    while at < len(text):
        letter, start = text[at], at
        if letter in " \t\n;|&":
            at, fresh = at + 1, True
            continue
        if text.startswith("\\\n", at):
            known = at == 0 or text[at - 1] in " \t\n"  # elsewhere it may join what belongs together: `$\` and `(`
            yield at, at + 2 if known else -1
            at += 2
            continue
        if letter == "#" and fresh:
            end = text.find("\n", at)
            at = end if end >= 0 else len(text)
            yield start, at
            continue
        if letter == '"':
            at = yield from _double_quotes(text, at)
        elif letter in "<>":
            at = _behind_redirection(text, at)
        else:
            at = _behind(text, at)
        if at < 0:
            yield start, -1
            return
        if letter in "'\\":
            yield start, at
        fresh = letter in "<>"


def _behind(text: str, at: int) -> int:
    """The place behind a quote, an escape, a parameter or letters; -1 where bash has rules of its own."""
    letter = text[at]
    if letter == "\\":
        return min(at + 2, len(text))
    if letter == "'":
        end = text.find("'", at + 1)
        return -1 if end < 0 or "\n" in text[at:end] else end + 1
    if letter == "$":
        return _behind_dollar(text, at)
    if letter == "[":
        return -1 if at and (text[at - 1].isalnum() or text[at - 1] in "_[") else at + 1
    if letter in "`()":
        return -1
    match = _LITERAL.match(text, at)
    return match.end() if match is not None else at + 1


def _behind_dollar(text: str, at: int) -> int:
    match = NUMBERS.match(text, at) or _PARAMETER.match(text, at)
    if match is not None:
        return match.end()
    return -1 if text[at + 1 : at + 2] in tuple("({['\"") else at + 1


def _behind_redirection(text: str, at: int) -> int:
    if text.startswith("<<<", at):
        return at + 3
    return -1 if text.startswith(("<<", "<(", ">("), at) else at + 1


def _double_quotes(text: str, at: int) -> Generator[tuple[int, int], None, int]:
    """What is literal between double quotes, and the place behind them."""
    at += 1
    while at < len(text) and text[at] != '"':
        start, letter = at, text[at]
        if letter == "$":
            end = _behind_dollar(text, at) if text[at + 1 : at + 2] not in ("'", '"', "[") else at + 1
            at = -1 if text.startswith("$[", start) else end
        elif letter == "`" or text.startswith("\\\n", at):
            at = -1
        else:
            at = min(at + (2 if letter == "\\" else 1), len(text))
            yield start, at
        if at < 0:
            return -1
    return at + 1 if at < len(text) else -1
