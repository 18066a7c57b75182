"""Tables for a terminal and for a pipe; nothing of what they hold is cut or obeyed."""

import sys
from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from ml_agent.console import Terminal
from ml_agent.terminal import terminal_text, write_out

Row = Sequence[str]
_NARROWEST = 14
"""Characters of a column; narrower ones cannot be read."""
_FRAME = 3
"""Characters around a column."""


def write_table(heads: Row, rows: Sequence[Row], *, title: str = "") -> None:
    """Write a table to stdout: with lines to a terminal, one row a line with tabs to a pipe."""
    safe = [[_line(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        draw_table(heads, safe, title=title)
    else:
        lines = [f"# {_line(title)}"] if title else []
        write_out("\n".join([*lines, *("\t".join(row) for row in [list(heads), *safe])]) + "\n")


def _line(text: str) -> str:
    return " ".join(terminal_text(text).split())


def draw_table(heads: Row, rows: Sequence[Sequence[str | Text]], *, title: str = "", whole: int | None = None) -> None:
    """Draw a table; where the terminal is too narrow for its columns, the cells of a row stand one below the other.

    Args:
        heads: of the columns.
        rows: their cells.
        title: above it.
        whole: the column that is not folded, because it is there to be copied.
    """
    console = Terminal()
    texts = [[cell if isinstance(cell, Text) else Text(cell) for cell in row] for row in rows]
    columns = list(zip(map(Text, heads), *texts, strict=True))
    widths = [max(cell.cell_len for cell in column) for column in columns]
    least = sum(width if number == whole else min(width, _NARROWEST) for number, width in enumerate(widths))
    if least + _FRAME * len(heads) + 1 > console.width:
        for line in _below_each_other(heads, texts, title):
            console.print(line, overflow="fold")
        return
    table = Table(title=Text(_line(title)) if title else None)
    for number, head in enumerate(heads):
        table.add_column(head, overflow="fold", no_wrap=number == whole)
    for row in texts:
        table.add_row(*row)
    console.print(table)


def _below_each_other(heads: Row, rows: Sequence[Sequence[Text]], title: str) -> Iterator[Text]:
    if title:
        yield Text(_line(title), style="bold")
    for row in rows:
        yield from (Text.assemble((f"{head}: ", "dim"), cell) for head, cell in zip(heads, row, strict=True) if cell)
        yield Text("")
