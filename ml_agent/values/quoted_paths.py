"""Files and folders in quotes: what stands there is one name, whatever blanks and signs it has."""

import posixpath
import re
from collections.abc import Iterator

from ml_agent.values.lexer import Token, is_file_name, tokenize

_PLAIN = re.compile(r"[\w./~*?+@%{}$-]+")
"""Names that stand by themselves, with quotes or without."""
_NO_NAME = re.compile(r"(?:^|\s)-{1,2}[A-Za-z]|[|<>;&=\n]|://")
"""Of a command, an address or code, and not of a file that people name."""


_FOLDER_BEFORE = re.compile(r"\b(?:folder|directory|dir)\s+(?:(?:called|named)\s+)?$", re.IGNORECASE)
_FOLDER_BEHIND = re.compile(r"\s+(?:folder|directory)\b", re.IGNORECASE)


def quoted_paths(text: str) -> Iterator[Token]:
    """What is quoted and is one file or folder, where no word alone is its name: "out dir/best ü.json", the folder "my results"."""
    for token in tokenize(text) if any(sign in text for sign in "\"'`“‘«„") else ():
        odd = token.kind == "quoted" and not _PLAIN.fullmatch(token.value) and not _NO_NAME.search(token.value)
        if odd and (_is_one_file(token.value) or is_quoted_folder(text, token)):
            yield token


def is_quoted_folder(text: str, token: Token) -> bool:
    """Whether what is quoted is a folder: by its slash, or by the noun beside it."""
    beside = _FOLDER_BEFORE.search(text[: token.start]) or _FOLDER_BEHIND.match(text, token.end)
    return token.value.endswith("/") or beside is not None


def _is_one_file(value: str) -> bool:
    """Whether a text ends like a file and speaks of no other: "a.txt and b.txt" are two."""
    *others, last = re.split(r"[\s,]+", value)
    return (
        is_file_name(posixpath.basename(value))
        and is_file_name(f"x{posixpath.basename(last)}")
        and not any(is_file_name(word) for word in others if "/" not in word)
    )
