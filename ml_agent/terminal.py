"""Text of others on its way to a terminal."""

import sys

from sandbox.lines import clean
from tools.hidden import is_hidden


def terminal_text(text: str) -> str:
    """The text without what a terminal obeys (clipboard, title, cursor, colours) and what nobody sees; line ends and tabs stay."""
    cleaned = clean(text.replace("\r\n", "\n")).replace("\r", "")
    return cleaned if cleaned.isprintable() else "".join(letter for letter in cleaned if not is_hidden(letter))


def write_out(text: str) -> None:
    """Write to stdout: as it is for a pipe or a file, without what a terminal obeys for a terminal."""
    sys.stdout.write(terminal_text(text) if sys.stdout.isatty() else text)
