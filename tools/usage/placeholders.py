"""Placeholders of documented commands: `--data <path to images>` is an option with one word, not two redirections."""

import re

_PLACEHOLDER = re.compile(r"(?<![\w<>'\"`$&])<[A-Za-z][^<>\n'\"`|;&]{0,60}(?<=\w)>(?=[\s\]),;:./]|$)")

_IN_BRACKETS = re.compile(r"(?<![^\s=])\[[A-Za-z][\w/.]*(?:,? [\w/.]+){0,9} [\w/.]+\](?=\s|$)")
"""One of several words: "[PATH TO THE MODEL]", "[dataset name]"."""
_ANY = re.compile(
    r"<[A-Za-z][^<>]{0,60}>|\[[A-Z]{2,}\]|\[[A-Za-z][\w/.]*(?:,? [\w/.]+){0,9} [\w/.]+\]"
    r"|(?<![^'])(?:\[(?:[a-z]{1,30}[_ -]){0,4}(?:name|path|type|your|folder|file)(?:[_ -][a-z]{1,30}){0,4}\]|\{[A-Za-z])"
    r"|(?<![^\s'/=,])(?:[A-Z]{1,30}_){0,4}(?:YOUR|PATH|DIR|FILE|FOLDER|DIRECTORY|NAME|FILENAME|ID)(?:_[A-Z]{1,30}){0,4}(?![^\s'/,.])"
)
"""In angles or brackets, or in capitals: "YOUR_TEXT", "DATA_DIR/images", "PATH_TO_MODEL"; `$DATA_DIR` is a variable."""


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


def is_metavar(value: object, name: str) -> bool:
    """Whether a value is what a usage line has for an option: its name in capitals or brackets, `--batch-size BATCH_SIZE`, `[id]`.

    Args:
        value: that a document gives it.
        name: of the option, as a program knows it.
    """
    shown = value[0] if isinstance(value, list) and len(value) == 1 else value
    text = str(shown)
    bare = text.strip("[]{}")
    return (text.isupper() or bare != text) and bare.replace("-", "_").lower() == name.replace("-", "_").lower()
