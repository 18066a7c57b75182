"""Text of others on its way to a terminal."""

import sys

from ml_agent.prompts.hidden import HIDDEN
from ml_agent.sandbox.output import clean


def terminal_text(text: str) -> str:
    """The text without what a terminal obeys (clipboard, title, cursor, colours) and what nobody sees; line ends and tabs stay."""
    return HIDDEN.sub("", clean(text.replace("\r\n", "\n")))


def write_out(text: str) -> None:
    """Write to stdout: as it is for a pipe or a file, without what a terminal obeys for a terminal."""
    sys.stdout.write(terminal_text(text) if sys.stdout.isatty() else text)


def write_error(text: str) -> None:
    """Write a line to stderr, without what a terminal obeys: logs are read on terminals, too.

    Plain lines need nothing of Rich, which takes a while to load.
    """
    sys.stderr.write(f"{terminal_text(text)}\n")


def write_over(text: str) -> None:
    """Write on stderr what stands in the place of the line that was written so before; nothing for an empty text."""
    sys.stderr.write(f"\r{' '.join(terminal_text(text).split())}\x1b[K")
    sys.stderr.flush()
