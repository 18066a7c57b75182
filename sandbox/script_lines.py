"""Lines of bash out of names and commands that others chose: each stays what it is, whatever it holds and whatever stands around it."""

import re
import shlex
from collections.abc import Iterable

_LEFT_OPEN = re.compile(r"<<|#|\\\Z")
"""A here-document, a comment, a continued line: each takes what is written behind the command."""

LOGIN_PATH = """grep -qsxF "PATH='$PATH'" ~/.profile || echo "PATH='$PATH'" >>~/.profile"""
"""Lets `bash -lc` find what is on the PATH: the system's own settings reset it for login shells."""


def comment(text: str) -> str:
    """A comment of a script: one line, without what a terminal obeys."""
    return "# " + "".join(char if char.isprintable() else " " for char in text)


def exported(name: str, value: str) -> str:
    """What gives a variable to the lines that follow."""
    return f"export {name}={shlex.quote(value)}"


def path_word(path: str) -> str:
    """A path that no program takes for an option."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def alone(command: str) -> str:
    """A command that takes nothing of the lines around it."""
    text = command.strip()
    return f"bash -c {shlex.quote(text)}" if _LEFT_OPEN.search(text) else text


def inside(folder: str, command: str) -> str:
    """A command that runs in another folder, which is already a word of bash."""
    return f"(cd {folder} && {alone(command)})"


def folders_made(folders: Iterable[str]) -> str:
    """What makes folders that are not there."""
    return f"mkdir -p -- {' '.join(map(shlex.quote, folders))}"
