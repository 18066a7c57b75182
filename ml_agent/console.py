"""The one kind of console that this program writes to: whatever is printed has nothing in it that a terminal obeys."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from ml_agent.terminal import terminal_text


class Terminal(Console):
    """A console of Rich whose text went through `terminal_text`, also inside of tables and live lines.

    Colours and the movements of live lines are Rich's own and come after.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The pieces of what is to be printed."""
        for piece in super().render(renderable, options):
            if piece.control or piece.text.isprintable():
                yield piece
            else:
                yield Segment(terminal_text(piece.text), piece.style)
