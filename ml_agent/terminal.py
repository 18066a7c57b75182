"""Text of others on its way to a terminal."""

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

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


# The one kind of console that this program writes to: whatever is printed has nothing in it that a terminal obeys.


class Terminal(Console):
    """A console of Rich whose text went through `terminal_text`, also inside of tables and live lines.

    Text is text: brackets in it are no markup, so that nothing makes a link or a colour, or fails. Styles come as `rich.text.Text`.
    Colours and the movements of live lines are Rich's own and come after.
    """

    def __init__(self, **how: Any) -> None:
        """Take what Rich takes, but for what would read text as more than text."""
        super().__init__(markup=False, emoji=False, highlight=False, **how)

    def say(self, line: str) -> None:
        """Print a line, or several, without breaking them."""
        self.print(line, soft_wrap=True)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The pieces of what is to be printed."""
        for piece in super().render(renderable, options):
            if piece.control or (piece.text.isascii() and piece.text.isprintable()):
                yield piece
            else:
                yield Segment(terminal_text(piece.text), piece.style)
