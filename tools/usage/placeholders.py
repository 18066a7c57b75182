"""Placeholders of documented commands: `--data <path to images>` is an option with one word, not two redirections."""

import re

_PLACEHOLDER = re.compile(r"(?<![\w<>'\"`$&])<[A-Za-z][^<>\n'\"`|;&]{0,60}(?<=\w)>(?=[\s\]),;:./]|$)")

_IN_BRACKETS = re.compile(r"(?<![^\s=])\[[A-Za-z][\w/.]*(?:,? [\w/.]+){0,9} [\w/.]+\](?=\s|$)")
"""One of several words: "[PATH TO THE MODEL]", "[dataset name]"."""
_ANY = re.compile(r"<[A-Za-z][^<>]{0,60}>|\[[A-Z]{2,}\]|\[[A-Za-z][\w/.]*(?:,? [\w/.]+){0,9} [\w/.]+\]")


def quoted_placeholders(text: str) -> str:
    """A documented command whose placeholders are quoted, so that a shell would take each for one word.

    Args:
        text: one that stands in a document; in a command that is to be run `<name>` is what a shell makes of it.
    """
    return _IN_BRACKETS.sub(_in_quotes, _PLACEHOLDER.sub(_in_quotes, text))


def _in_quotes(match: re.Match[str]) -> str:
    return f"'{match[0]}'"


def holds_placeholder(value: object) -> bool:
    """Whether a value, or one of several, has a placeholder in it."""
    return _ANY.search(str(value)) is not None
