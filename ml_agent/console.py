"""The one kind of console that this program writes to: whatever is printed has nothing in it that a terminal obeys."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from ml_agent.terminal import terminal_text


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
